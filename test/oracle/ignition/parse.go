package main

import (
	"encoding/json"
	"errors"
	"fmt"

	compact "github.com/clarketm/json"
	errors2 "github.com/coreos/ignition/config/shared/errors"
	spec2 "github.com/coreos/ignition/config/v2_2"
	types2 "github.com/coreos/ignition/config/v2_2/types"
	errors3 "github.com/coreos/ignition/v2/config/shared/errors"
	spec3 "github.com/coreos/ignition/v2/config/v3_5"
	types3 "github.com/coreos/ignition/v2/config/v3_5/types"
)

const supported = "Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5"

// parsed holds exactly one of the two.
type parsed struct {
	v2 *types2.Config
	v3 *types3.Config
}

func parseOp(request json.RawMessage) (any, error) {
	var probe source
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	raw, err := probe.bytes()
	if err != nil {
		return nil, err
	}
	config, result := parseAndConvert(raw)
	if !result.OK {
		return result, nil
	}
	result.Config, err = compact.Marshal(config)
	return result, err
}

// parseAndConvert gives the config as spec 3.5.0, or the refusal.
func parseAndConvert(raw []byte) (types3.Config, answer) {
	config, result := parse(raw)
	if !result.OK {
		return types3.Config{}, result
	}
	if config.v3 != nil {
		return *config.v3, result
	}
	clean, err := withoutDuplicates(*config.v2)
	if err != nil {
		return types3.Config{}, refusal("convert", err.Error(), result.Report)
	}
	lifted, err := liftTo3(clean)
	if err != nil {
		text := "failed to convert Ignition config spec v2 to v3: " + err.Error()
		return types3.Config{}, refusal("convert", text, result.Report)
	}
	return lifted, result
}

// parse tries spec 3 and, where the version is none of its own, spec 2.
func parse(raw []byte) (parsed, answer) {
	config3, report3, err := spec3.ParseCompatibleVersion(raw)
	switch {
	case err == nil && !report3.IsFatal():
		return parsed{v3: &config3}, answer{OK: true, Report: entriesOf3(report3)}
	case errors.Is(err, errors3.ErrInvalidVersion):
		return parsed{}, refusal("parse", "parsing Ignition config failed: invalid version. "+supported, nil)
	case !errors.Is(err, errors3.ErrUnknownVersion):
		text := fmt.Sprintf("parsing Ignition config spec v3 failed with error: %v\nReport: %v", err, report3)
		return parsed{}, refusal("parse", text, entriesOf3(report3))
	}

	config2, report2, err := spec2.Parse(raw)
	switch {
	case err == nil && !report2.IsFatal():
		return parsed{v2: &config2}, answer{OK: true, Report: entriesOf2(report2)}
	case errors.Is(err, errors2.ErrUnknownVersion):
		return parsed{}, refusal("parse", "parsing Ignition config failed: unknown version. "+supported, nil)
	}
	text := fmt.Sprintf("parsing Ignition spec v2 failed with error: %v\nReport: %v", err, report2)
	return parsed{}, refusal("parse", text, entriesOf2(report2))
}
