#!/bin/sh
# Runs every fuzz target of the module for the time given, one after the other.
set -eu
time=${1:-20s}
grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
	for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$file"); do
		echo "== $(dirname "$file") $target $time"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$(dirname "$file")"
	done
done
