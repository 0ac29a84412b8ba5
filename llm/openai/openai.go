package openai

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// DefaultStall is the longest silence of a stream where neither request nor
// configuration says otherwise.
const DefaultStall = 180 * time.Second

// Config describes one endpoint. Zero fields have the defaults named beside
// them.
type Config struct {
	Provider string // name in routes, sources and errors; empty is the host
	BaseURL  string // up to, not including, /chat/completions; required
	Key      string // bearer token; empty sends no Authorization
	Profile  Profile
	// HTTP carries the requests. It belongs to the caller, who may share it; nil
	// makes one of the model's own, with proxies by environment and connections
	// for some hundred streams at a time.
	HTTP      *http.Transport
	Stall     time.Duration // longest silence of a stream; 0 is [DefaultStall]
	UserAgent string        // empty is dsh-workflow
	// Insecure permits to send the key without TLS to a host outside the local
	// network.
	Insecure bool
}

// Model is one endpoint. It is safe for use by several goroutines; each request
// has its own state.
type Model struct {
	config Config
	base   *http.Transport
	own    bool
}

var _ llm.Model = (*Model)(nil)

// New checks the configuration and returns a model. It does no I/O. The error
// is an [*llm.Error] of class [llm.CodeInvalidRequest].
func New(c Config) (*Model, error) {
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, refuse("the base URL is not one of http or https")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, refuse("the base URL has more than a scheme, a host and a path")
	}
	if c.Key != "" && u.Scheme == "http" && !c.Insecure && !isLocal(u.Hostname()) {
		return nil, refuse(fmt.Sprintf("the key would go to %s without encryption; use https", u.Hostname()))
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, refuse("the key holds white space or characters that are not ASCII")
	}
	if c.Provider == "" {
		c.Provider = u.Hostname()
	}
	if c.Profile.Name == "" {
		c.Profile = ProfileFor(c.BaseURL)
	}
	if c.Stall <= 0 {
		c.Stall = DefaultStall
	}
	if c.UserAgent == "" {
		c.UserAgent = "dsh-workflow"
	}
	m := &Model{config: c, base: c.HTTP}
	if m.base == nil {
		m.base, m.own = NewTransport(), true
	}
	return m, nil
}

func refuse(message string) error {
	return &llm.Error{Kind: llm.CodeInvalidRequest, Message: message}
}

// Profile returns the profile in use.
func (m *Model) Profile() Profile { return m.config.Profile }

// Provider returns the name of the endpoint.
func (m *Model) Provider() string { return m.config.Provider }

// Close drops the idle connections of a transport that the model made itself.
// Running requests are not touched.
func (m *Model) Close() error {
	if m.own {
		m.base.CloseIdleConnections()
	}
	return nil
}

// NewTransport returns a transport that suits many long streams to few hosts.
// It takes proxies from the environment and does not follow redirects, since
// nothing below a [Model] does.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          512,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
		WriteBufferSize:       64 << 10,
		// A connection that died in silence must not serve the next request.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// isLocal reports whether a host is this machine or inside the local network:
// a private address, or a name that public DNS cannot have.
func isLocal(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.IsLoopback() || addr.IsPrivate() || addr.IsLinkLocalUnicast()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(host, ".") {
		return true
	}
	for _, suffix := range []string{".localhost", ".local", ".internal", ".lan", ".home.arpa"} {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}
