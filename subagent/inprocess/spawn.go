package inprocess

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dsh-go/dsh-workflow/agent"
	"github.com/dsh-go/dsh-workflow/llm"
	"github.com/dsh-go/dsh-workflow/session"
	"github.com/dsh-go/dsh-workflow/subagent"
	"github.com/dsh-go/dsh-workflow/tool"
)

// Spawn returns a provider whose children begin with an empty history.
func Spawn(c Config) subagent.Provider { return &spawn{cfg: c.withDefaults()} }

// spawn may be used from any goroutine: cfg never changes.
type spawn struct {
	cfg    Config
	wanted contracts
}

var (
	_ subagent.Provider = (*spawn)(nil)
	_ subagent.Capable  = (*spawn)(nil)
)

func (s *spawn) Name() string { return s.cfg.Name }

// Capabilities leaves worktrees to whoever wraps the provider and makes them.
func (s *spawn) Capabilities() subagent.Capabilities {
	return subagent.Capabilities{Schema: true, Tools: true, Type: true}
}

// Start makes a child and sets it to work. Everything that can be refused is
// checked before anything of the child exists.
func (s *spawn) Start(ctx context.Context, req subagent.Request) (subagent.Child, error) {
	if ctx.Err() != nil {
		return nil, subagent.Aborted(ctx)
	}
	plan, err := s.plan(ctx, req)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, subagent.Aborted(ctx)
	}
	log, err := s.open(plan)
	if err != nil {
		return nil, refused("the session of the child cannot be made", err)
	}
	a, err := agent.New(s.agentConfig(plan, log))
	if err == nil {
		err = a.Followup(llm.Message{
			Role:    llm.RoleUser,
			Content: []llm.Block{llm.Text{Text: req.Prompt}},
			Source:  llm.Source{Kind: llm.SourceUser},
		})
	}
	if err != nil {
		_ = log.Close() // nothing of it is on disk, and the first error is the one that counts
		return nil, refused("the agent of the child cannot be made", err)
	}
	return newChild(ctx, &stack{plan: plan, log: log, agent: a, closed: s.cfg.Closed}), nil
}

// plan is a child that has passed all checks.
type plan struct {
	req        subagent.Request
	site       Site
	model      llm.Model
	route      llm.Config
	retry      llm.Retry
	tools      *tool.Registry
	system     string
	structured *structured // nil where text was asked for
}

func (s *spawn) plan(ctx context.Context, req subagent.Request) (*plan, error) {
	depth, err := subagent.CheckDepth(req.Lineage, max(s.cfg.MaxDepth, 0))
	if err != nil {
		return nil, err
	}
	l := req.Lineage
	p := &plan{req: req, site: Site{Run: l.Run, Cwd: l.Cwd, Root: l.Root, Depth: depth, Trusted: l.Trusted, Guided: l.Trusted && l.Guided}}
	if p.site.Cwd == "" {
		p.site.Cwd = p.site.Root
	}
	if err := checkFolder(p.site.Cwd); err != nil {
		return nil, err
	}
	if req.Schema != nil {
		wanted, err := s.wanted.compile(req.Schema)
		if err != nil {
			return nil, err
		}
		p.structured = &structured{schema: wanted}
	}
	if err := s.resolve(ctx, p); err != nil {
		return nil, err
	}
	p.site.Session = s.cfg.NewID()
	if err := s.equip(ctx, p); err != nil {
		return nil, err
	}
	return p, nil
}

func checkFolder(path string) error {
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		return refused(fmt.Sprintf("subagent cwd must be an absolute path: %s", path), nil)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return refused(fmt.Sprintf("subagent cwd is not an accessible directory: %s", path), nil)
	}
	return nil
}

func (s *spawn) resolve(ctx context.Context, p *plan) error {
	if s.cfg.Resolve == nil {
		return refused("no model is configured for subagents", nil)
	}
	m, err := s.cfg.Resolve(ctx, p.req.Route)
	if err != nil {
		return err
	}
	p.model, p.route, p.retry = m.Model, m.Config, s.cfg.Retry
	if m.Retry != nil {
		p.retry = *m.Retry
	}
	return nil
}

// equip chooses the child's tools and writes its system text.
func (s *spawn) equip(ctx context.Context, p *plan) error {
	all, err := s.cfg.Tools(ctx, p.site)
	if err != nil {
		return refused("the tools of the child cannot be made", err)
	}
	p.tools = all
	if t := p.req.Type; t != nil && t.Tools != nil {
		if p.tools, err = all.Narrow(shared(t.Tools, all.Names())); err != nil {
			return refused("the tools of the child cannot be narrowed", err)
		}
	}
	if p.req.Tools != nil {
		if p.tools, err = p.tools.Narrow(p.req.Tools); err != nil {
			return refused("the tools of the child cannot be narrowed", err)
		}
	}
	if !p.site.Trusted {
		p.tools = p.tools.Harmless()
	}
	if p.system, err = s.system(p, missing(all, p.tools)); err != nil {
		return refused("the system prompt of the child cannot be made", err)
	}
	if p.structured == nil {
		return nil
	}
	p.structured.model, p.model = p.model, p.structured
	p.tools, err = p.tools.With(p.structured.tool())
	if err != nil {
		return refused("the tool for the structured result cannot be added", err)
	}
	p.tools = p.tools.Guarded(p.structured.guard)
	return nil
}

// shared lists the names of wanted that are there.
func shared(wanted, there []string) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(name string) bool { return !slices.Contains(there, name) })
}

// missing lists the tools of all that few does not have.
func missing(all, few *tool.Registry) []string {
	left := few.Names()
	return slices.DeleteFunc(all.Names(), func(name string) bool { return slices.Contains(left, name) })
}

// open makes the session of the child. Nothing is on disk before the first event.
func (s *spawn) open(p *plan) (*session.Log, error) {
	header := session.Header{
		Version:         session.FormatVersion,
		ID:              p.site.Session,
		CreatedAt:       s.cfg.Now().UnixMilli(),
		Cwd:             p.site.Cwd,
		ParentSession:   p.req.Lineage.Parent,
		Origin:          session.OriginSubagent,
		DelegationDepth: p.site.Depth,
	}
	options := session.Options{Now: s.cfg.Now}
	if folder := p.req.Lineage.Sessions; folder != "" {
		sink, err := session.OpenNewFile(filepath.Join(folder, p.site.Session+".jsonl"), header)
		if err != nil {
			return nil, err
		}
		options.Sink = sink
	}
	return session.New(header, options)
}

func refused(message string, cause error) error {
	return &subagent.Error{Kind: subagent.CodeInvalidStart, Message: message, Err: cause}
}
