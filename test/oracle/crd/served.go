package main

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// served is a version of a definition, ready to judge objects.
type served struct {
	kind       schema.GroupVersionKind
	namespaced bool
	structural *structuralschema.Structural
	// The strategies by endpoint. Whole validates everything, as if status were no subresource.
	main, status, whole strategy
}

// strategy is how the server handles an object at one endpoint.
type strategy interface {
	PrepareForCreate(ctx context.Context, object runtime.Object)
	PrepareForUpdate(ctx context.Context, object, old runtime.Object)
	Validate(ctx context.Context, object runtime.Object) field.ErrorList
	ValidateUpdate(ctx context.Context, object, old runtime.Object) field.ErrorList
}

// compiled holds the definitions that were given, by the name of the kind: compiling rules takes time.
var compiled = map[string]*served{}

// establish makes a definition known, in place of an earlier one of the same kind.
func establish(crd *crdv1.CustomResourceDefinition) error {
	result, err := serve(crd)
	if err != nil {
		return err
	}
	compiled[crd.Spec.Names.Kind] = result
	return nil
}

func servedKind(kind string) (*served, error) {
	if known, met := compiled[kind]; met {
		return known, nil
	}
	return nil, fmt.Errorf("the kind %q has not been installed", kind)
}

// serve prepares the storage version, which for one with a single version is that.
func serve(crd *crdv1.CustomResourceDefinition) (*served, error) {
	version, err := apihelpers.GetCRDStorageVersion(crd)
	if err != nil {
		return nil, err
	}
	external, err := apihelpers.GetSchemaForVersion(crd, version)
	if err != nil {
		return nil, err
	}
	if external == nil || external.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("version %s has no schema", version)
	}
	props := &apiextensions.JSONSchemaProps{}
	if err := crdv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(external.OpenAPIV3Schema, props, nil); err != nil {
		return nil, err
	}
	result := &served{
		kind:       schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind},
		namespaced: crd.Spec.Scope == crdv1.NamespaceScoped,
	}
	return result, result.prepare(crd, props)
}

func (s *served) prepare(crd *crdv1.CustomResourceDefinition, props *apiextensions.JSONSchemaProps) error {
	var err error
	if s.structural, err = structuralschema.NewStructural(props); err != nil {
		return err
	}
	if err = defaulting.PruneDefaults(s.structural); err != nil {
		return err
	}
	schemaOfAll, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return err
	}
	whole := customresource.NewStrategy(scheme, s.namespaced, s.kind, schemaOfAll, nil, s.structural, nil, nil, nil)
	s.main, s.status, s.whole = whole, nil, whole

	subresources, err := apihelpers.GetSubresourcesForVersion(crd, s.kind.Version)
	if err != nil || subresources == nil || subresources.Status == nil {
		return err
	}
	var schemaOfStatus validation.SchemaValidator
	if statusProps, has := props.Properties["status"]; has {
		if schemaOfStatus, _, err = validation.NewSchemaValidator(&statusProps); err != nil {
			return err
		}
	}
	statusSubresource := &apiextensions.CustomResourceSubresourceStatus{}
	main := customresource.NewStrategy(scheme, s.namespaced, s.kind, schemaOfAll, schemaOfStatus, s.structural, statusSubresource, nil, nil)
	s.main, s.status = main, customresource.NewStatusStrategy(main)
	return nil
}
