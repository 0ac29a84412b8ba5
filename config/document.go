package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxFile is the size of a configuration file in bytes.
const MaxFile = 1 << 20

// readFile reads a configuration file without blocking on a pipe and without
// taking more than MaxFile bytes. A file that does not exist is nil.
func readFile(path string) (raw []byte, problem string) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, missing := os.Lstat(path); errors.Is(missing, fs.ErrNotExist) {
			return nil, ""
		}
		return nil, "is a link to nothing: mend the link or remove it"
	case err != nil:
		return nil, "cannot be read: " + reason(err)
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, "cannot be read: " + reason(err)
	case info.IsDir():
		return nil, "is a folder, not a file: move it away"
	case !info.Mode().IsRegular():
		return nil, "is not a regular file: write the configuration into a plain file"
	}
	raw, err = io.ReadAll(io.LimitReader(file, MaxFile+1))
	switch {
	case err != nil:
		return nil, "cannot be read: " + reason(err)
	case len(raw) > MaxFile:
		return nil, fmt.Sprintf("has more than %d bytes: is it a configuration file?", MaxFile)
	}
	return append([]byte{}, raw...), ""
}

func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

// parse reads one document. The node is nil when the document says nothing.
func parse(raw []byte) (n *yaml.Node, problem string, line int) {
	if !utf8.Valid(raw) {
		return nil, "is not UTF-8 text: save it as UTF-8", lineOfInvalid(raw)
	}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	var doc, more yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, "", 0
	} else if err != nil {
		problem, line = syntax(err)
		return nil, problem, line
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, "has more than one document: remove what follows the line ---", more.Line
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, "", 0
	}
	return doc.Content[0], "", 0
}

func lineOfInvalid(raw []byte) int {
	line := 1
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == utf8.RuneError && n == 1 {
			return line
		}
		if r == '\n' {
			line++
		}
		raw = raw[n:]
	}
	return line
}

var yamlError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?(.*)`)

// syntax finds the line in an error of the parser.
func syntax(err error) (problem string, line int) {
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil {
		return "is not YAML", 0
	}
	line, err = strconv.Atoi(m[1])
	if err != nil {
		line = 1 // the parser counts from 0 and does not name that line
	}
	return "is not YAML: " + hide(m[2]), line
}

// hide keeps what looks like a key out of a text of the parser.
func hide(text string) string {
	if looksSecret(text) {
		return "the parser's text is withheld, because it looks like a key"
	}
	return text
}
