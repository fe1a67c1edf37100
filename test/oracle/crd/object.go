package main

import (
	"context"
	"encoding/json"
	"fmt"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

type objectProbe struct {
	// Kind is that of a definition which crd-validate has accepted before.
	Kind   string          `json:"kind"`
	Object json.RawMessage `json:"object"`
	// Old makes it an update.
	Old json.RawMessage `json:"old"`
	// Endpoint receives the object: `main` (the default; ignores status if it is a subresource), `status`, or `whole`,
	// which validates everything as if there were no subresource.
	Endpoint string `json:"endpoint"`
}

type objectAnswer struct {
	OK bool `json:"ok"`
	// Object is what would be stored: pruned, with defaults, and with the fields that the endpoint accepts.
	Object map[string]any `json:"object,omitempty"`
	Errors []problem      `json:"errors"`
	// Refusal is why the object could not even be read, such as metadata of a wrong type.
	Refusal       string   `json:"refusal,omitempty"`
	UnknownFields []string `json:"unknownFields"`
}

func objectOp(request json.RawMessage) (any, error) {
	var probe objectProbe
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	kind, err := servedKind(probe.Kind)
	if err != nil {
		return nil, err
	}
	object, unknown, err := kind.read(probe.Object)
	if err != nil {
		return objectAnswer{Refusal: err.Error(), Errors: []problem{}, UnknownFields: []string{}}, nil
	}
	var old *unstructured.Unstructured
	if len(probe.Old) > 0 && string(probe.Old) != "null" {
		if old, _, err = kind.read(probe.Old); err != nil {
			return nil, err
		}
	}
	fieldErrors, err := kind.judge(object, old, probe.Endpoint)
	if err != nil {
		return nil, err
	}
	errors := problemsOf(fieldErrors)
	return objectAnswer{OK: len(errors) == 0, Object: object.Object, Errors: errors, UnknownFields: unknown}, nil
}

// read does what the server does before it judges: prune, drop nulls, check metadata, fill in defaults.
func (s *served) read(raw json.RawMessage) (*unstructured.Unstructured, []string, error) {
	object := &unstructured.Unstructured{}
	if err := kubejson.Unmarshal(raw, &object.Object); err != nil {
		return nil, nil, err
	}
	apiVersion, kind := object.GetAPIVersion(), object.GetKind()
	meta, hasMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	options := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	unknown = append(unknown, pruning.PruneWithOptions(object.Object, s.structural, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, s.structural)
	fieldError, more := objectmeta.CoerceWithOptions(nil, object.Object, s.structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fieldError != nil {
		return nil, nil, fieldError
	}
	if apiVersion != "" {
		object.SetAPIVersion(apiVersion)
	}
	if kind != "" {
		object.SetKind(kind)
	}
	if hasMeta {
		if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
			return nil, nil, err
		}
	}
	defaulting.Default(object.Object, s.structural)
	return object, append(append([]string{}, unknown...), more...), nil
}

func (s *served) judge(object, old *unstructured.Unstructured, endpoint string) (field.ErrorList, error) {
	chosen := map[string]strategy{"": s.main, "main": s.main, "status": s.status, "whole": s.whole}[endpoint]
	if chosen == nil || (endpoint == "status" && old == nil) {
		return nil, fmt.Errorf("no update at endpoint %q", endpoint)
	}
	ctx := context.Background()
	if old == nil {
		chosen.PrepareForCreate(ctx, object)
		return chosen.Validate(ctx, object), nil
	}
	chosen.PrepareForUpdate(ctx, object, old)
	return chosen.ValidateUpdate(ctx, object, old), nil
}
