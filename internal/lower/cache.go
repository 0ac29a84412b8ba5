package lower

import "sync"

// Cache keeps what was rewritten, by the text of the body, up to a bound on the
// bytes of all. The zero value is ready.
//
// Concurrency: it may be used from several goroutines at once.
type Cache struct {
	mu      sync.Mutex
	kept    map[string]*Output
	order   []string // the oldest first
	present int      // bytes
}

const maxCached = 8 << 20

// Body is [Body] from the cache.
func (c *Cache) Body(body string) (*Output, error) {
	c.mu.Lock()
	out := c.kept[body]
	c.mu.Unlock()
	if out != nil {
		return out, nil
	}
	out, err := Body(body)
	if err == nil {
		c.keep(body, out)
	}
	return out, err
}

func (c *Cache) keep(body string, out *Output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[string]*Output{}
	}
	if c.kept[body] != nil || size(body, out) > maxCached/4 {
		return
	}
	c.kept[body] = out
	c.order = append(c.order, body)
	for c.present += size(body, out); c.present > maxCached; c.order = c.order[1:] {
		c.present -= size(c.order[0], c.kept[c.order[0]])
		delete(c.kept, c.order[0])
	}
}

func size(body string, out *Output) int { return len(body) + len(out.Code) + 16*len(out.places) }
