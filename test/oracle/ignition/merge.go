package main

import (
	"encoding/json"

	compact "github.com/clarketm/json"
	spec3 "github.com/coreos/ignition/v2/config/v3_5"
	types3 "github.com/coreos/ignition/v2/config/v3_5/types"
)

type fold struct {
	Configs []json.RawMessage `json:"configs"`
	// The operator's own steps, which may be left out to see what the library alone does.
	SkipCompression bool `json:"skipCompression"`
	SkipOverwrite   bool `json:"skipOverwrite"`
}

// mergeOp folds configs in the given order, later over earlier. An absent config (null) is passed over.
func mergeOp(request json.RawMessage) (any, error) {
	var probe fold
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	merged := types3.Config{Ignition: types3.Ignition{Version: types3.MaxVersion.String()}}
	for index, config := range probe.Configs {
		raw, err := storedForm(config)
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		next, result := parseAndConvert(raw)
		if !result.OK {
			return result, nil
		}
		switch {
		case index == 0:
			merged = next
		case probe.SkipCompression:
			merged = spec3.Merge(merged, next)
		default:
			merged = withoutBlankCompression(spec3.Merge(merged, withBlankCompression(next)))
		}
	}
	if !probe.SkipOverwrite {
		overwriteByDefault(merged)
	}
	written, err := compact.Marshal(merged)
	return answer{OK: true, Config: written, Report: []entry{}}, err
}

// withBlankCompression keeps a file of the child from inheriting the parent's gzip.
func withBlankCompression(config types3.Config) types3.Config {
	blank := ""
	for index := range config.Storage.Files {
		if contents := &config.Storage.Files[index].Contents; contents.Compression == nil {
			contents.Compression = &blank
		}
	}
	return config
}

func withoutBlankCompression(config types3.Config) types3.Config {
	for index := range config.Storage.Files {
		contents := &config.Storage.Files[index].Contents
		if contents.Compression != nil && *contents.Compression == "" {
			contents.Compression = nil
		}
	}
	return config
}

// overwriteByDefault is the step after the fold: nodes overwrite files, so Ignition must do so too.
func overwriteByDefault(config types3.Config) {
	yes := true
	for index := range config.Storage.Files {
		if file := &config.Storage.Files[index]; file.Overwrite == nil {
			file.Overwrite = &yes
		}
	}
}
