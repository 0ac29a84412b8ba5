package main

import (
	dsh "github.com/dsh-go/dsh-workflow"
	"github.com/dsh-go/dsh-workflow/config"
)

// settings reads the configuration that counts in the working directory.
func (a *admission) settings() (*config.Settings, error) {
	s, err := a.decide()
	if err != nil {
		return nil, err
	}
	home, err := a.env.harnessHome(a.opts.home)
	if err != nil {
		home = "" // then there is no file of the user; what needs a home says so
	}
	return config.Load(config.Sources{
		Home: home, Dir: a.dir, Trusted: s.trusted, Lookup: a.env.lookup,
		Base: config.File{Limits: dsh.DefaultLimits()}, Choice: a.opts.choice, Limits: a.opts.limits(),
	})
}
