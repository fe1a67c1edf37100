package main

import (
	"encoding/json"
	"fmt"

	crdv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
)

type ownerProbe struct {
	kindProbe
	// Schema is that of a custom resource; without it the kind is one that Kubernetes brings, and with `deduced` it
	// is one of which nothing is known.
	Schema  json.RawMessage `json:"schema"`
	Deduced bool            `json:"deduced"`
	// Live is the object as it stands; absent where there is none.
	Live json.RawMessage `json:"live"`
	// Object is what is applied, or what the update makes of the object.
	Object      json.RawMessage `json:"object"`
	Manager     string          `json:"manager"`
	Subresource string          `json:"subresource"`
	ResetFields [][]string      `json:"resetFields"`
	Force       bool            `json:"force"`
}

func applyOp(request json.RawMessage) (any, error) {
	probe, manager, live, err := prepared(request)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: map[string]interface{}{}}
	if err := yaml.Unmarshal(probe.Object, &object.Object); err != nil {
		return refused(apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err)), "")
	}
	result, err := manager.Apply(live, object, probe.Manager, probe.Force)
	if err != nil {
		return refused(err, "")
	}
	return patched(result, nil)
}

func updateOp(request json.RawMessage) (any, error) {
	probe, manager, live, err := prepared(request)
	if err != nil {
		return nil, err
	}
	object, err := read(probe.Object)
	if err != nil {
		return nil, err
	}
	return patched(manager.UpdateNoErrors(live, object, probe.Manager), nil)
}

func prepared(request json.RawMessage) (ownerProbe, *managedfields.FieldManager, *unstructured.Unstructured, error) {
	var probe ownerProbe
	if err := json.Unmarshal(request, &probe); err != nil {
		return probe, nil, nil, err
	}
	kind := schema.FromAPIVersionAndKind(probe.APIVersion, probe.Kind)
	converter, err := converterOf(kind, probe)
	if err != nil {
		return probe, nil, nil, err
	}
	version := fieldpath.APIVersion(probe.APIVersion)
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	if len(probe.ResetFields) > 0 {
		reset[version] = fieldpath.NewSet()
		for _, names := range probe.ResetFields {
			path := fieldpath.Path{}
			for _, name := range names {
				path = append(path, fieldpath.PathElement{FieldName: &name})
			}
			reset[version].Insert(path)
		}
	}
	world := oneVersion{kind.GroupVersion()}
	manager, err := managedfields.NewDefaultCRDFieldManager(converter, world, world, world, kind, kind.GroupVersion(), probe.Subresource, fieldpath.NewExcludeFilterSetMap(reset))
	if err != nil {
		return probe, nil, nil, err
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(kind)
	if len(probe.Live) > 0 && string(probe.Live) != "null" {
		if live, err = read(probe.Live); err != nil {
			return probe, nil, nil, err
		}
	}
	return probe, manager, live, nil
}

func read(raw json.RawMessage) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{Object: map[string]interface{}{}}
	return object, kubejson.Unmarshal(raw, &object.Object)
}

// converters are kept: building one takes time.
var converters = map[string]managedfields.TypeConverter{}

func converterOf(kind schema.GroupVersionKind, probe ownerProbe) (managedfields.TypeConverter, error) {
	if probe.Deduced {
		return managedfields.NewDeducedTypeConverter(), nil
	}
	if len(probe.Schema) == 0 {
		return applyconfigurations.NewTypeConverter(scheme.Scheme), nil
	}
	name := kind.String() + string(probe.Schema)
	if known, met := converters[name]; met {
		return known, nil
	}
	converter, err := customConverter(kind, probe.Schema)
	if err == nil {
		converters[name] = converter
	}
	return converter, err
}

// customConverter goes the server's way from a definition to the types of its objects.
func customConverter(kind schema.GroupVersionKind, raw json.RawMessage) (managedfields.TypeConverter, error) {
	props := &crdv1.JSONSchemaProps{}
	if err := json.Unmarshal(raw, props); err != nil {
		return nil, err
	}
	crd := &crdv1.CustomResourceDefinition{}
	crd.Spec.Group = kind.Group
	crd.Spec.Names = crdv1.CustomResourceDefinitionNames{Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: "things", Singular: "thing"}
	crd.Spec.Versions = []crdv1.CustomResourceDefinitionVersion{{
		Name:   kind.Version,
		Served: true,
		Schema: &crdv1.CustomResourceValidation{OpenAPIV3Schema: props},
	}}
	document, err := builder.BuildOpenAPIV3(crd, kind.Version, builder.Options{})
	if err != nil {
		return nil, err
	}
	return managedfields.NewTypeConverter(document.Components.Schemas, false)
}

// oneVersion serves objects in one version and as they are: defaults are no part of the question.
type oneVersion struct{ version schema.GroupVersion }

func (v oneVersion) ConvertToVersion(object runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	wanted, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{kind})
	if !ok || wanted.GroupVersion() != v.version {
		return nil, runtime.NewNotRegisteredErrForTarget("oracle", nil, target)
	}
	return object.DeepCopyObject(), nil
}

func (oneVersion) Convert(_, _, _ interface{}) error {
	return fmt.Errorf("not asked for")
}

func (oneVersion) ConvertFieldLabel(_ schema.GroupVersionKind, _, _ string) (string, string, error) {
	return "", "", fmt.Errorf("not asked for")
}

func (oneVersion) Default(runtime.Object) {}

func (oneVersion) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}
