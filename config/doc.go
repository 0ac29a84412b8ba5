// Package config decides what a run uses from what its user said: which model,
// at which endpoint, with whose key. It reads the environment only through the
// lookup function that it is given, and no error of it holds a key.
package config
