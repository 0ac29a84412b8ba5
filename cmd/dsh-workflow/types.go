package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/lint"
)

func typesCommand(e env) *cobra.Command {
	return &cobra.Command{
		Use:     "types",
		Short:   "Print workflow.d.ts, with which editors complete and check scripts",
		Example: "  dsh-workflow types > .dsh/workflow.d.ts",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(e.stdout, lint.Declarations())
			return err
		},
	}
}
