package config

import _ "embed"

// Example is a configuration file with every key. docs/configuration.md shows it.
//
//go:embed example.yaml
var Example string
