package main

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

type fieldsAnswer struct {
	// Text keeps the order of the keys.
	Text  string `json:"text,omitempty"`
	Error string `json:"error,omitempty"`
}

// fieldsOp reads a set of fields and writes it again.
func fieldsOp(request json.RawMessage) (any, error) {
	var probe struct {
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	set := fieldpath.NewSet()
	if err := set.FromJSON(bytes.NewReader(probe.Fields)); err != nil {
		return fieldsAnswer{Error: err.Error()}, nil
	}
	text, err := set.ToJSON()
	if err != nil {
		return fieldsAnswer{Error: err.Error()}, nil
	}
	return fieldsAnswer{Text: string(text)}, nil
}
