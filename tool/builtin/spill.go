package builtin

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/dsh-go/dsh-workflow/tool"
)

// spill is the file that takes all of a result of which a part is shown. The zero
// value has no file yet. A failure to write ends the file, not the search.
type spill struct {
	file    *os.File
	out     *bufio.Writer
	size    int
	trouble error
}

// begin makes the file, in the folder for outputs, which is made if needed, or in a
// temporary one. An agent that could not read the file there gets none.
func (s *spill) begin(c tool.Call, name string) {
	switch {
	case c.Outputs != "":
		s.trouble = os.MkdirAll(c.Outputs, 0o700)
	case c.Confined:
		s.trouble = errors.New("there is no folder for outputs")
	}
	if s.trouble == nil {
		s.file, s.trouble = os.CreateTemp(c.Outputs, "*-"+name)
	}
	if s.trouble == nil {
		s.out = bufio.NewWriterSize(s.file, 64<<10)
	}
}

// write adds text. The error says that the result is too long at all.
func (s *spill) write(text string) error {
	if s.size += len(text); s.size > searchBytes {
		return errOverflow
	}
	if s.trouble == nil {
		_, s.trouble = s.out.WriteString(text)
	}
	return nil
}

// end finishes the file and gives its path; empty if it could not be kept.
func (s *spill) end(keep bool) string {
	if s.file == nil {
		return ""
	}
	if err := s.out.Flush(); s.trouble == nil {
		s.trouble = err
	}
	if err := s.file.Close(); s.trouble == nil {
		s.trouble = err
	}
	if !keep || s.trouble != nil {
		_ = os.Remove(s.file.Name())
		return ""
	}
	return s.file.Name()
}

// recovery says how the rest of a result, named by what, is found.
func recovery(what, stored, narrow string) string {
	if stored == "" {
		return fmt.Sprintf("The complete result could not be saved; narrow %s to see more.", narrow)
	}
	return fmt.Sprintf("%s stored at: %s. %s", what, stored, tool.SpillHint)
}
