package main

import (
	report2 "github.com/coreos/ignition/config/validate/report"
	report3 "github.com/coreos/vcontext/report"
	"github.com/coreos/vcontext/tree"
)

// entry is one line of a report, of either library.
type entry struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Path is the keys and indexes that lead to the culprit. Spec 2 reports have none.
	Path   []any `json:"path,omitempty"`
	Line   int64 `json:"line,omitempty"`
	Column int64 `json:"column,omitempty"`
}

func entriesOf3(report report3.Report) []entry {
	entries := []entry{}
	for _, e := range report.Entries {
		line, column := e.Marker.Start()
		entries = append(entries, entry{
			Kind:    e.Kind.String(),
			Message: e.Message,
			Path:    plainPath(e.Context.Path),
			Line:    line,
			Column:  column,
		})
	}
	return entries
}

// plainPath turns the library's key type, which marks the name of a key instead of its value, into a string.
func plainPath(path []any) []any {
	plain := []any{}
	for _, step := range path {
		if key, isKey := step.(tree.Key); isKey {
			plain = append(plain, string(key))
		} else {
			plain = append(plain, step)
		}
	}
	return plain
}

func entriesOf2(report report2.Report) []entry {
	entries := []entry{}
	for _, e := range report.Entries {
		entries = append(entries, entry{
			Kind:    e.Kind.String(),
			Message: e.Message,
			Line:    int64(e.Line),
			Column:  int64(e.Column),
		})
	}
	return entries
}

func noNil(entries []entry) []entry {
	if entries == nil {
		return []entry{}
	}
	return entries
}
