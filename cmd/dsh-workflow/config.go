package main

import (
	"github.com/spf13/cobra"

	"github.com/dsh-go/dsh-workflow/config"
)

func configCommand(e env) *cobra.Command {
	c := &cobra.Command{
		Use:     "config",
		Short:   "About the configuration file; doctor shows the values that count",
		Example: "  dsh-workflow config schema",
		Args:    cobra.NoArgs,
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	schema := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of the configuration file",
		Example: "  dsh-workflow config schema > config.schema.json",
		Args:    usageArgs(cobra.NoArgs),
	}
	schema.RunE = func(*cobra.Command, []string) error {
		raw, err := config.Schema()
		if err != nil {
			return err
		}
		_, err = e.stdout.Write(raw)
		return err
	}
	c.AddCommand(schema)
	return c
}
