package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/observe"
)

// completions adds the command that prints completions for shells, and lets every
// command complete what its usage line names: RUN is the id of a run, SCRIPT a file
// or a saved workflow.
func completions(e env, root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			for _, shell := range c.Commands() {
				shell.Args = usageArgs(shell.Args)
			}
			continue
		}
		completeArgs(e, c)
	}
}

func completeArgs(e env, c *cobra.Command) {
	for _, sub := range c.Commands() {
		completeArgs(e, sub)
	}
	if c.ValidArgsFunction == nil && c.Runnable() {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch word := placeOf(c.Use, len(args)); {
			case strings.Contains(word, "SCRIPT"):
				return savedNames(e, c), cobra.ShellCompDirectiveDefault
			case strings.HasPrefix(word, "RUN"):
				return runIDs(e, flagOf(c, "home")), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	if f := c.Flags().Lookup("output"); f != nil {
		words := []string{"text", "json"}
		if strings.Contains(f.Usage, "stream-json") {
			words = append(words, "stream-json")
		}
		completeFlag(c, "output", func() []string { return words })
	}
	if c.Flags().Lookup("model") != nil {
		completeFlag(c, "model", func() []string { return modelNames(e, c) })
	}
}

// completeFlag lets a flag be completed with words and not with files.
func completeFlag(c *cobra.Command, flag string, words func() []string) {
	if _, has := c.GetFlagCompletionFunc(flag); has {
		return
	}
	err := c.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil { // the flag exists and has no other function
		panic(err)
	}
}

// placeOf is the word of a usage line that stands for the n-th argument.
func placeOf(use string, n int) string {
	words := strings.Fields(use)[1:]
	for i, w := range words {
		more := strings.Contains(w, "...")
		if i == n || more && n > i {
			return strings.Trim(w, "[].")
		}
	}
	return ""
}

// flagOf is the value of a flag that the command may not have.
func flagOf(c *cobra.Command, name string) string {
	if f := c.Flag(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// maxCompleted bounds the runs that are offered: those that are looked for are
// nearly always young.
const maxCompleted = 50

// runIDs lists the newest runs, each with its name and how it stands.
func runIDs(e env, home string) []string {
	h, err := openHistory(e, home)
	if err != nil {
		return nil
	}
	ids, err := h.newestFirst()
	if err != nil || len(ids) == 0 {
		return nil
	}
	words := []string{cobra.CompletionWithDesc("last", "the newest run")}
	for _, id := range ids[:min(len(ids), maxCompleted)] {
		p := h.quick(id)
		about := fmt.Sprintf("%s, %s", p.Header.Meta.Name, p.Status)
		words = append(words, cobra.CompletionWithDesc(observe.OneLine(string(id), 64), observe.OneLine(about, 80)))
	}
	return words
}

// savedNames lists the saved workflows that the command would find.
func savedNames(e env, c *cobra.Command) []string {
	adm, err := newAdmission(e, runOptions{placeOptions: placeOptions{cwd: flagOf(c, "cwd"), home: flagOf(c, "home")}})
	if err != nil {
		return nil
	}
	l, err := adm.listing()
	if err != nil {
		return nil
	}
	var words []string
	for _, w := range l.Workflows {
		words = append(words, cobra.CompletionWithDesc(w.Name, observe.OneLine(w.Description, 80)))
	}
	return words
}

// modelNames lists the models and aliases that the configuration knows.
func modelNames(e env, c *cobra.Command) []string {
	adm, err := newAdmission(e, runOptions{placeOptions: placeOptions{home: flagOf(c, "home")}})
	if err != nil {
		return nil
	}
	s, err := adm.settings()
	if err != nil {
		return nil
	}
	words := []string{cobra.CompletionWithDesc("sim", "simulated")}
	for _, m := range s.Known() {
		words = append(words, cobra.CompletionWithDesc(m.Model, m.Provider))
		for _, alias := range m.Aliases {
			words = append(words, cobra.CompletionWithDesc(alias, m.Model))
		}
	}
	return words
}
