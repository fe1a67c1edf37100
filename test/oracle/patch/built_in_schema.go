package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	smd "sigs.k8s.io/structured-merge-diff/v4/schema"
)

type kindProbe struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// builtInSchemaOp gives what the real libraries know of a built-in kind, as a structural schema: how its lists and
// maps merge, the defaults of its fields, and how strategic merge patches treat it.
func builtInSchemaOp(request json.RawMessage) (any, error) {
	var probe kindProbe
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	kind := schema.FromAPIVersionAndKind(probe.APIVersion, probe.Kind)
	example, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	example.GetObjectKind().SetGroupVersionKind(kind)
	typed, err := converter.ObjectToTyped(example)
	if err != nil {
		return nil, err
	}
	known := typed.Schema()
	return described(known, typed.TypeRef(), reflect.TypeOf(example).Elem()), nil
}

type fields = map[string]any

func described(known *smd.Schema, ref smd.TypeRef, goType reflect.Type) fields {
	for goType != nil && goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	atom, found := known.Resolve(ref)
	if !found {
		panic(fmt.Sprintf("no type %v", ref))
	}
	switch {
	case atom.Scalar != nil && (atom.List != nil || atom.Map != nil):
		return fields{}
	case atom.Scalar != nil:
		return scalar(*atom.Scalar)
	case atom.List != nil:
		return list(known, atom.List, goType)
	case atom.Map != nil:
		return object(known, atom.Map, goType)
	default:
		return fields{}
	}
}

func scalar(kind smd.Scalar) fields {
	switch kind {
	case smd.Numeric:
		return fields{"type": "number"}
	case smd.String, smd.Boolean:
		return fields{"type": string(kind)}
	default:
		// A format that is not known leaves the text untyped.
		return fields{"type": "string", "format": "int-or-string"}
	}
}

func list(known *smd.Schema, kind *smd.List, goType reflect.Type) fields {
	result := fields{"type": "array", "items": described(known, kind.ElementType, elementOf(goType))}
	switch {
	case kind.ElementRelationship != smd.Associative:
		result["x-kubernetes-list-type"] = "atomic"
	case len(kind.Keys) > 0:
		result["x-kubernetes-list-type"] = "map"
		result["x-kubernetes-list-map-keys"] = kind.Keys
	default:
		result["x-kubernetes-list-type"] = "set"
	}
	return result
}

func object(known *smd.Schema, kind *smd.Map, goType reflect.Type) fields {
	result := fields{"type": "object"}
	if kind.ElementRelationship == smd.Atomic {
		result["x-kubernetes-map-type"] = "atomic"
	}
	if goType != nil && goType.Kind() == reflect.Struct {
		result["x-go-type"] = goType.String()
	}
	if (kind.ElementType != smd.TypeRef{}) {
		result["additionalProperties"] = described(known, kind.ElementType, elementOf(goType))
	}
	properties := fields{}
	for _, one := range kind.Fields {
		goField := fieldOf(goType, one.Name)
		property := described(known, one.Type, goField.Type)
		if one.Default != nil {
			property["default"] = asJSON(one.Default)
		}
		if strategy := goField.Tag.Get("patchStrategy"); strategy != "" {
			property["x-kubernetes-patch-strategy"] = strategy
		}
		if key := goField.Tag.Get("patchMergeKey"); key != "" {
			property["x-kubernetes-patch-merge-key"] = key
		}
		properties[one.Name] = property
	}
	if len(properties) > 0 {
		result["properties"] = properties
	}
	return result
}

// asJSON gives maps the keys that JSON has: the defaults were read from YAML.
func asJSON(value any) any {
	switch typed := value.(type) {
	case map[any]any:
		result := fields{}
		for key, item := range typed {
			result[fmt.Sprint(key)] = asJSON(item)
		}
		return result
	case []any:
		for i := range typed {
			typed[i] = asJSON(typed[i])
		}
	}
	return value
}

func elementOf(goType reflect.Type) reflect.Type {
	if goType == nil || (goType.Kind() != reflect.Slice && goType.Kind() != reflect.Map) {
		return nil
	}
	return goType.Elem()
}

// fieldOf finds a field by its name in JSON, also in structs that are inlined.
func fieldOf(goType reflect.Type, name string) reflect.StructField {
	if goType == nil || goType.Kind() != reflect.Struct {
		return reflect.StructField{}
	}
	for i := 0; i < goType.NumField(); i++ {
		one := goType.Field(i)
		tag := strings.Split(one.Tag.Get("json"), ",")
		if tag[0] == name {
			return one
		}
		if tag[0] == "" && one.Anonymous {
			if found := fieldOf(one.Type, name); found.Name != "" {
				return found
			}
		}
	}
	return reflect.StructField{}
}
