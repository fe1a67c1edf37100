// Package wire serves probes: one JSON object per line in, one per line out, matched by id. One process can
// so answer a whole test file, and a probe that makes a library panic costs only its own answer.
package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Op answers one probe. The request is the whole line, so that each op reads the fields that it needs.
type Op func(request json.RawMessage) (any, error)

type envelope struct {
	ID json.RawMessage `json:"id"`
	Op string          `json:"op"`
}

type response struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	// Fault is an error of the oracle itself; an error of a library is a result.
	Fault string `json:"fault,omitempty"`
}

// Serve answers until the input ends.
func Serve(in io.Reader, out io.Writer, ops map[string]Op) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriter(out)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, readErr := reader.ReadBytes('\n')
		if len(line) > 1 {
			if err := encoder.Encode(answer(line, ops)); err != nil {
				return err
			}
			if err := writer.Flush(); err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			return nil
		}
		if readErr != nil {
			return readErr
		}
	}
}

func answer(line []byte, ops map[string]Op) (reply response) {
	var request envelope
	if err := json.Unmarshal(line, &request); err != nil {
		return response{Fault: "reading the request: " + err.Error()}
	}
	reply.ID = request.ID
	defer func() {
		if cause := recover(); cause != nil {
			reply.Result = nil
			reply.Fault = fmt.Sprintf("panic: %v", cause)
		}
	}()
	op, known := ops[request.Op]
	if !known {
		reply.Fault = fmt.Sprintf("unknown op %q", request.Op)
		return reply
	}
	result, err := op(line)
	if err != nil {
		reply.Fault = err.Error()
		return reply
	}
	reply.Result = result
	return reply
}
