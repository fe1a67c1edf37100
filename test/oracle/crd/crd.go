package main

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdregistry "k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	strictjson "sigs.k8s.io/json"
)

var scheme = runtime.NewScheme()

func init() {
	install.Install(scheme)
}

type crdAnswer struct {
	OK     bool      `json:"ok"`
	Errors []problem `json:"errors"`
	// UnknownFields are rejected by strict decoding, and dropped otherwise.
	UnknownFields []string `json:"unknownFields"`
}

// crdOp validates the creation of a definition. An accepted one is served from then on.
func crdOp(request json.RawMessage) (any, error) {
	var probe struct {
		CRD json.RawMessage `json:"crd"`
	}
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	external, crd, unknown, err := decodeCRD(probe.CRD)
	if err != nil {
		return nil, err
	}
	strategy := crdregistry.NewStrategy(scheme)
	strategy.PrepareForCreate(context.Background(), crd)
	errors := problemsOf(strategy.Validate(context.Background(), crd))
	if len(errors) == 0 {
		if err := establish(external); err != nil {
			return nil, err
		}
	}
	return crdAnswer{OK: len(errors) == 0, Errors: errors, UnknownFields: unknown}, nil
}

// decodeCRD gives the definition with its defaults, in the form of the API and in that of the server.
func decodeCRD(raw json.RawMessage) (*crdv1.CustomResourceDefinition, *apiextensions.CustomResourceDefinition, []string, error) {
	external := &crdv1.CustomResourceDefinition{}
	strictErrors, err := strictjson.UnmarshalStrict(raw, external)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("decoding the CustomResourceDefinition: %w", err)
	}
	unknown := []string{}
	for _, strictError := range strictErrors {
		unknown = append(unknown, strictError.Error())
	}
	scheme.Default(external)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(external, internal, nil); err != nil {
		return nil, nil, nil, err
	}
	return external, internal, unknown, nil
}
