package control

import "encoding/json"

// Op is what is asked for.
type Op string

// The operations.
const (
	Status Op = "status" // how things stand
	Stop   Op = "stop"   // end, keeping what there is
	Pause  Op = "pause"  // start nothing new
	Resume Op = "resume" // after a pause
	Answer Op = "answer" // to a question that stands
)

// Request is one line to the process that listens.
type Request struct {
	Op Op `json:"op"`
	// Run is the id of the run that is meant: a process may have more than one.
	Run string `json:"run"`
	// Reason is for people; it may be empty.
	Reason string `json:"reason,omitempty"`
	// Name and Value are of an answer.
	Name  string          `json:"name,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// Reply is the line that comes back.
type Reply struct {
	// Error is nil when what was asked for is done.
	Error *Failure `json:"error,omitempty"`
	// Value is what a request asked to know.
	Value json.RawMessage `json:"value,omitempty"`
}

// Failure is why a request was refused. It is an error.
type Failure struct {
	Kind    string `json:"code"`
	Message string `json:"message"`
}

func (f *Failure) Error() string { return f.Message }

// Code is the class of the failure.
func (f *Failure) Code() string { return f.Kind }

// The classes of failures that this package makes.
const (
	CodeUnreachable = "UNREACHABLE" // nobody listens
	CodeBadRequest  = "BAD_REQUEST" // what came is no request
	CodeBadReply    = "BAD_REPLY"   // what came back is no reply
	CodeFolder      = "FOLDER"      // there is no safe place for a socket
	CodeInternal    = "INTERNAL"    // the process could not answer
)
