// The Ignition oracle: the parsers, validators, translators and the merge that the Machine Config Operator
// uses, called as it calls them.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"millwright.dev/oracle/wire"
)

func main() {
	err := wire.Serve(os.Stdin, os.Stdout, map[string]wire.Op{
		"ignition-parse":    parseOp,
		"ignition-validate": validateOp,
		"ignition-merge":    mergeOp,
		"data-url-decode":   dataURLDecodeOp,
		"data-url-encode":   dataURLEncodeOp,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// source is a config as a probe gives it: a JSON value, or a text that need not be JSON at all.
type source struct {
	Config json.RawMessage `json:"config"`
	Raw    *string         `json:"raw"`
}

// bytes writes a value as an API server would hand it on (keys sorted, no spaces, HTML characters escaped),
// because reports name lines and columns. Null is an absent config.
func (s source) bytes() ([]byte, error) {
	if s.Raw != nil {
		return []byte(*s.Raw), nil
	}
	return storedForm(s.Config)
}

func storedForm(value json.RawMessage) ([]byte, error) {
	if len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, err
	}
	return json.Marshal(decoded)
}

// answer is the result of an op for one config, or for several merged ones.
type answer struct {
	OK bool `json:"ok"`
	// Config is the accepted config as spec 3.5.0, without empty structs and lists.
	Config json.RawMessage `json:"config,omitempty"`
	// Stage is where a refusal came from: parse, validate, mode or convert.
	Stage string `json:"stage,omitempty"`
	// Error is the operator's text for a refusal.
	Error  string  `json:"error,omitempty"`
	Report []entry `json:"report"`
}

func refusal(stage, message string, report []entry) answer {
	return answer{Stage: stage, Error: message, Report: noNil(report)}
}
