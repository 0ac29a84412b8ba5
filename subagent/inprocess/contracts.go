package inprocess

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/dsh-go/dsh-workflow/schema"
)

// maxContracts is how many compiled schemas are kept: siblings mostly share one,
// and a compiled schema takes some ten kilobytes.
const maxContracts = 32

// contracts keeps the compiled schemas of results that were asked for last. The
// zero value is empty.
//
// Concurrency: any goroutine may use it. mu guards the list; it is not held while
// a schema is compiled, which whoever asks first does for all who wait for it.
type contracts struct {
	mu   sync.Mutex
	kept []*contract // the one asked for last is the last
}

// contract is one schema. Its members are set when once is done.
type contract struct {
	text   string
	once   sync.Once
	schema *schema.Schema
	err    error
}

func (c *contracts) compile(text json.RawMessage) (*schema.Schema, error) {
	found := c.find(string(text))
	found.once.Do(func() { found.schema, found.err = schema.CompileResult(text) })
	return found.schema, found.err
}

func (c *contracts) find(text string) *contract {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := &contract{text: text}
	i := slices.IndexFunc(c.kept, func(k *contract) bool { return k.text == text })
	switch {
	case i >= 0:
		found = c.kept[i]
	case len(c.kept) == maxContracts:
		i = 0
	default:
		c.kept = append(c.kept, found)
		return found
	}
	c.kept = append(slices.Delete(c.kept, i, i+1), found)
	return found
}
