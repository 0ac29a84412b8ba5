package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/dsh-go/dsh-workflow/tool"
)

// Codes of failed file operations.
const (
	NotFound         = "FS_NOT_FOUND"
	NotRegular       = "FS_NOT_REGULAR_FILE"
	NotDirectory     = "FS_NOT_DIRECTORY"
	NotText          = "FS_NOT_TEXT"
	NotObserved      = "FS_NOT_OBSERVED"
	StaleVersion     = "FS_STALE_VERSION"
	EditNotFound     = "FS_EDIT_NOT_FOUND"
	AmbiguousEdit    = "FS_AMBIGUOUS_EDIT"
	PermissionDenied = "FS_PERMISSION_DENIED"
	IOFault          = "FS_IO_ERROR"
	TooLarge         = "FS_TOO_LARGE"
	SandboxDenied    = "FS_SANDBOX_DENIED"
)

func fault(code string, cause error, format string, args ...any) error {
	return &tool.Error{Name: "FsError", Kind: code, Message: fmt.Sprintf(format, args...), Err: cause}
}

func badArgument(text string) error {
	return &tool.Error{Name: "ToolArgsError", Kind: tool.KindInvalidArgs, Message: text}
}

// ioFault turns a failure of the system into one that the model can act on. op
// is the verb of the tool.
func ioFault(op, shown string, err error) error {
	var own *tool.Error
	if errors.As(err, &own) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	why, code := reason(err)
	return fault(code, err, `cannot %s "%s": %s`, op, shown, why)
}

func reason(err error) (why, code string) {
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return "a parent is not a directory", NotDirectory
	case errors.Is(err, fs.ErrNotExist):
		return "not found", NotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "permission denied", PermissionDenied
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error(), IOFault
}

func stale(shown string) error {
	return fault(StaleVersion, nil, `"%s" has changed since it was read — re-read the file, then retry`, shown)
}

func notObserved(op, shown string) error {
	return fault(NotObserved, nil, `%s requires reading "%s" first — read the file, then retry`, op, shown)
}

// oneLine keeps a path from breaking out of the line on which it is shown.
func oneLine(path string) string {
	return strings.NewReplacer("\n", "␊", "\r", "␍").Replace(path)
}
