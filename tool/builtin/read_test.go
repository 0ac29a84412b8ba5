//go:build unix

package builtin

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/dsh-go/dsh-workflow/tool"
)

func shown(path, content string) string {
	return "<path>" + path + "</path>\n<type>file</type>\n<content>\n" + content + "\n</content>"
}

func numbered(from, to int) string {
	var sb strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&sb, "%d: line %d\n", i, i)
	}
	return sb.String()
}

func lines(n int) string {
	var sb strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&sb, "line %d\n", i)
	}
	return sb.String()
}

// proves: A201
func TestReadPages(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.put("few", "line 1\nline 2\nline 3\n")
	a.put("empty", "")
	a.put("many", lines(2001))
	a.put("wide", strings.Repeat(strings.Repeat("x", 1023)+"\n", 60))
	a.want("read", args{"file_path": "few"}, shown("few", numbered(1, 3)+"\n(End of file - total 3 lines)"))
	a.want("read", args{"file_path": "few", "offset": 2, "limit": 1}, shown("few", numbered(2, 2)+"\n(Showing lines 2-2 of 3. Use offset=3 to continue.)"))
	a.want("read", args{"file_path": "few", "offset": 3}, shown("few", numbered(3, 3)+"\n(End of file - total 3 lines)"))
	a.want("read", args{"file_path": "few", "offset": 4}, `Error: cannot read "few": offset 4 is beyond the end of the file (total 3 lines)`, NotFound)
	a.want("read", args{"file_path": "empty"}, shown("empty", "(End of file - total 0 lines)"))
	a.want("read", args{"file_path": "many"}, shown("many", numbered(1, 2000)+"\n(Showing lines 1-2000 of 2001. Use offset=2001 to continue.)"))
	got, _ := a.do("read", args{"file_path": "wide"})
	if !strings.HasSuffix(got, "\n\n(Output capped. Showing lines 1-49. Use offset=50 to continue.)\n</content>") {
		t.Errorf("ends with %q", got[len(got)-120:])
	}
	if body := strings.Index(got, "\n\n(Output") - strings.Index(got, "1: x"); body > pageBytes {
		t.Errorf("page has %d bytes", body)
	}
}

// proves: A202
func TestReadLines(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	long := strings.Repeat("ä", 2000)
	a.put("f", "\ufeffone\r\n\r\n"+long+"\n"+long+"ö\nlast")
	a.want("read", args{"file_path": "f"}, shown("f",
		"1: one\n2: \n3: "+long+"\n4: "+long+"... (line truncated to 2000 chars)\n5: last\n\n(End of file - total 5 lines)"))
}

func TestReadRefuses(t *testing.T) {
	dir := t.TempDir()
	a := newAgent(t, dir, Options{})
	a.put("f", "x")
	if err := syscall.Mkfifo(a.path("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		in         args
		text, kind string
	}{
		{args{"file_path": " "}, "file_path must be a non-empty string", tool.KindInvalidArgs},
		{args{"file_path": "a\x00b"}, "file_path must not contain a NUL character", tool.KindInvalidArgs},
		{args{"file_path": "f", "offset": 0}, "offset must be a positive integer", tool.KindInvalidArgs},
		{args{"file_path": "f", "limit": 0}, "limit must be a positive integer", tool.KindInvalidArgs},
		{args{"file_path": "f", "limit": 2001}, "limit must be less than or equal to 2000", tool.KindInvalidArgs},
		{args{"file_path": "f", "limit": 1.5}, `invalid arguments: "limit" must be an integer`, tool.KindInvalidArgs},
		{args{"file_path": "gone"}, `cannot read "gone": not found`, NotFound},
		{args{"file_path": "gone/more"}, `cannot read "gone/more": not found`, NotFound},
		{args{"file_path": "f/more"}, `cannot read "f/more": a parent is not a directory`, NotDirectory},
		{args{"file_path": "."}, fmt.Sprintf(`cannot read "%s": not a regular file`, a.call.Cwd), NotRegular},
		{args{"file_path": "pipe"}, `cannot read "pipe": not a regular file`, NotRegular},
		{args{"file_path": "/dev/zero"}, `cannot read "/dev/zero": not a regular file`, NotRegular},
		{args{"file_path": "a\nb"}, `cannot read "a␊b": not found`, NotFound},
	} {
		a.want("read", tc.in, "Error: "+tc.text, tc.kind)
	}
}

func TestReadWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	a := newAgent(t, t.TempDir(), Options{})
	a.put("f", "x")
	if err := os.Chmod(a.path("f"), 0); err != nil {
		t.Fatal(err)
	}
	a.want("read", args{"file_path": "f"}, `Error: cannot read "f": permission denied`, PermissionDenied)
}

// proves: A204
func TestReadWantsText(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	for name, content := range map[string]string{
		"nul":          "text\x00more",
		"nul at 8192":  strings.Repeat("a", 8191) + "\x00",
		"invalid":      "ok\n\xff\n",
		"cut at end":   "ok\xe2\x82",
		"cut at line":  "ok\xe2\x82\n\xac",
		"far":          strings.Repeat("line\n", 100000) + "\xff",
		"in long line": strings.Repeat("a", 300000) + "\xff",
	} {
		a.put(name, content)
		a.want("read", args{"file_path": name, "limit": 1}, fmt.Sprintf(`Error: cannot read "%s": not a text file in UTF-8`, name), NotText)
	}
	a.put("late nul", strings.Repeat("a\n", 4096)+"\x00")
	a.want("read", args{"file_path": "late nul", "offset": 4097}, shown("late nul", "4097: ␀\n\n(End of file - total 4097 lines)"))
}

// proves: A203
func TestReadStreamsLargeFiles(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	const count = 110000
	row := strings.Repeat("0123456789", 10)
	a.put("big", strings.Repeat(row+"\n", count)) // more than 10 MiB
	a.want("read", args{"file_path": "big", "offset": count}, shown("big", fmt.Sprintf("%d: %s\n\n(End of file - total %d lines)", count, row, count)))
	a.want("read", args{"file_path": "big", "limit": 1}, shown("big", fmt.Sprintf("1: %s\n\n(Showing lines 1-1 of %d. Use offset=2 to continue.)", row, count)))
	a.put("line", strings.Repeat("€", 4<<20)+"\nend")
	a.want("read", args{"file_path": "line"}, shown("line",
		"1: "+strings.Repeat("€", 2000)+"... (line truncated to 2000 chars)\n2: end\n\n(End of file - total 2 lines)"))
	if _, err := os.Stat("/proc/self/limits"); err == nil { // has no size
		if got, kind := a.do("read", args{"file_path": "/proc/self/limits"}); kind != "" || !strings.Contains(got, "1: Limit") {
			t.Errorf("%s %s", kind, got)
		}
	}
}

func TestReadMayLeaveTheRoot(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	outside := newAgent(t, t.TempDir(), Options{})
	outside.put("f", "out")
	a.want("read", args{"file_path": outside.path("f")}, shown(outside.path("f"), "1: out\n\n(End of file - total 1 lines)"))
}

func TestReadObeysCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readPage(ctx, endless{}, window{1, 10}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// endless is a line without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzReadPage compares the stream reader with splitting the whole text.
func FuzzReadPage(f *testing.F) {
	f.Add("a\r\nb\n", 1, 2, 16)
	f.Add(strings.Repeat("é", 3000)+"\r\n\r", 1, 9, 17)
	f.Add("\ufeffx\n\xff", 2, 1, 16)
	f.Fuzz(func(t *testing.T, text string, first, count, repeat int) {
		text = strings.Repeat(text, 1+int(uint(repeat)%5000)) // over the border of the buffer
		if len(text) > 1<<20 {
			return
		}
		w := window{1 + int(uint(first)%50), 1 + int(uint(count)%50)}
		got, err := readPage(t.Context(), strings.NewReader(text), w)
		want := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		switch {
		case err == errNotText:
			if utf8.ValidString(text) && !strings.Contains(text, "\x00") {
				t.Fatal("text was taken for something else")
			}
			return
		case err == errBeyond:
			if w.first <= len(want) {
				t.Fatal("not beyond the end")
			}
			return
		case err != nil:
			t.Fatal(err)
		}
		if !got.capped && got.total != len(want) {
			t.Fatalf("%d lines, want %d", got.total, len(want))
		}
		for i, line := range got.lines {
			whole := strings.TrimSuffix(want[w.first-1+i], "\r")
			if short, cut := strings.CutSuffix(line, "... (line truncated to 2000 chars)"); line != whole && (!cut || !strings.HasPrefix(whole, short)) {
				t.Fatalf("line %d: %.50q, want %.50q", i, line, whole)
			}
		}
	})
}
