package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/dsh-go/dsh-workflow/llm"
)

// maxList bounds what is read of a list of models, in bytes.
const maxList = 4 << 20

// Reach is what an endpoint said when it was asked for its models, which costs
// nothing.
type Reach struct {
	// Models are the names that the endpoint lists, nil if it has no list: some
	// servers have none.
	Models []string
	// Date is the endpoint's clock, zero if it did not tell.
	Date time.Time
	Took time.Duration // from the question to the head of the answer
}

// List asks the endpoint for its models. The error is an [*llm.Error]: it is of
// class [llm.CodeTransport] or [llm.CodeTimeout] if there was no answer, else of
// that of the answer's status. List does not try again.
func (m *Model) List(ctx context.Context) (Reach, error) {
	var r Reach
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(m.config.BaseURL, "/")+"/models", nil)
	if err != nil {
		return r, m.fail(llm.CodeInvalidRequest, err, "the URL of the list of models is invalid")
	}
	req.Header.Set("User-Agent", m.config.UserAgent)
	if m.config.Key != "" {
		req.Header.Set("Authorization", "Bearer "+m.config.Key)
	}
	began := time.Now()
	resp, err := m.base.RoundTrip(req)
	r.Took = time.Since(began)
	if err != nil {
		kind := llm.AsError(err).Kind
		if kind == llm.CodeAborted && errors.Is(err, context.DeadlineExceeded) {
			kind = llm.CodeTimeout
		}
		return r, m.fail(kind, err, "%s", m.excerpt(llm.Chain(err)))
	}
	defer resp.Body.Close()
	// A date that cannot be read is none.
	r.Date, _ = http.ParseTime(resp.Header.Get("Date"))
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	switch {
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed || resp.StatusCode == http.StatusNotImplemented:
		return r, nil // there is a server, and it has no list
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return r, m.refused(resp.StatusCode, resp.Header, body)
	case err != nil:
		return r, m.fail(llm.CodeTransport, err, "the answer broke off: %s", m.excerpt(llm.Chain(err)))
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return r, m.fail(llm.CodeMalformed, nil, "the answer is no list of models: %s", m.excerpt(string(body)))
	}
	r.Models = make([]string, 0, len(list.Data))
	for _, d := range list.Data {
		r.Models = append(r.Models, d.ID)
	}
	return r, nil
}
