package main

import (
	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
)

// settings reads the configuration that counts for work in dir.
func settings(e env, o runOptions, dir string) (*config.Settings, error) {
	home, err := e.harnessHome(o.home)
	if err != nil {
		home = "" // then there is no file of the user; what needs a home says so
	}
	return config.Load(config.Sources{
		Home: home, Dir: dir, Trusted: true, Lookup: e.lookup,
		Base: config.File{Limits: dsh.DefaultLimits()}, Choice: o.choice, Limits: o.limits(),
	})
}
