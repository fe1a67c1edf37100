package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	validate2 "github.com/coreos/ignition/config/validate"
	validate3 "github.com/coreos/ignition/v2/config/validate"
)

// validateOp validates a source config as the operator does before a merge.
func validateOp(request json.RawMessage) (any, error) {
	var probe source
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	raw, err := probe.bytes()
	if err != nil {
		return nil, err
	}
	if raw == nil {
		return answer{OK: true, Report: []entry{}}, nil
	}
	return validate(raw), nil
}

func validate(raw []byte) answer {
	config, result := parse(raw)
	if !result.OK {
		return result
	}
	if config.v3 != nil {
		return validateSpec3(config, result)
	}
	return validateSpec2(config, result)
}

// validateSpec3 looks at the config after its lift to 3.5: what its own version allowed, 3.5 may refuse.
func validateSpec3(config parsed, result answer) answer {
	report := validate3.ValidateWithContext(*config.v3, nil)
	if report.IsFatal() {
		text := fmt.Sprintf("invalid ignition V3 config found: %v", report)
		return refusal("validate", text, entriesOf3(report))
	}
	for _, file := range config.v3.Storage.Files {
		if text := specialMode(file.Mode, file.Path); text != "" {
			return refusal("mode", text, result.Report)
		}
	}
	return result
}

func validateSpec2(config parsed, result answer) answer {
	report := validate2.ValidateWithoutSource(reflect.ValueOf(*config.v2))
	if report.IsFatal() {
		text := fmt.Sprintf("invalid ignition V2 config found: %v", report)
		return refusal("validate", text, entriesOf2(report))
	}
	for _, file := range config.v2.Storage.Files {
		if text := specialMode(file.Mode, file.Path); text != "" {
			return refusal("mode", text, result.Report)
		}
	}
	return result
}

func specialMode(mode *int, path string) string {
	if mode == nil || os.FileMode(*mode) <= os.ModePerm {
		return ""
	}
	return fmt.Sprintf("invalid mode %#o for %s, cannot exceed %#o", *mode, path, os.ModePerm)
}
