package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The types that JSON shows in a form of their own, under the names that our tables have for them.
var shownForms = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():                                "time",
	reflect.TypeFor[metav1.MicroTime]():                           "microTime",
	reflect.TypeFor[resource.Quantity]():                          "quantity",
	reflect.TypeFor[intstr.IntOrString]():                         "intOrString",
	reflect.TypeFor[metav1.FieldsV1]():                            "json",
	reflect.TypeFor[runtime.RawExtension]():                       "json",
	reflect.TypeFor[apiextensions.JSON]():                         "json",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():        "schemaOrBool",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():       "schemaOrSchemas",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray](): "schemaOrTexts",
	reflect.TypeFor[authentication.ExtraValue]():                  "texts",
	reflect.TypeFor[authorization.ExtraValue]():                   "texts",
}

// fieldsOp describes every message that a kind reaches, in the format of our tables.
func fieldsOp(request json.RawMessage) (any, error) {
	_, object, err := newObject(request)
	if err != nil {
		return nil, err
	}
	messages := map[string]string{}
	describe(reflect.TypeOf(object).Elem(), messages)
	return messages, nil
}

func describe(message reflect.Type, messages map[string]string) {
	name := nameOf(message)
	if _, known := messages[name]; known {
		return
	}
	messages[name] = ""
	var fields []string
	for i := range message.NumField() {
		field := message.Field(i)
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		options := strings.Split(field.Tag.Get("json"), ",")
		text := typeText(field.Type, messages)
		switch {
		case options[0] == "":
			text = parts[1] + " ..." + text
		case slices.Contains(options, "omitempty"):
			text = parts[1] + " " + options[0] + " " + text
		default:
			text = parts[1] + " " + options[0] + " " + text + "!"
		}
		fields = append(fields, text)
	}
	messages[name] = strings.Join(fields, ", ")
}

func typeText(target reflect.Type, messages map[string]string) string {
	if form, known := shownForms[target]; known {
		return form
	}
	switch target.Kind() {
	case reflect.Pointer:
		return "?" + typeText(target.Elem(), messages)
	case reflect.Slice:
		if target.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[" + typeText(target.Elem(), messages) + "]"
	case reflect.Map:
		return "{" + typeText(target.Elem(), messages) + "}"
	case reflect.Struct:
		describe(target, messages)
		return nameOf(target)
	case reflect.Int32:
		return "int"
	case reflect.Int64:
		return "long"
	case reflect.Float64:
		return "double"
	case reflect.String, reflect.Bool:
		return target.Kind().String()
	}
	panic(fmt.Sprintf("no name for %v", target))
}

// nameOf distinguishes the two kinds of events, as our tables do.
func nameOf(message reflect.Type) string {
	if strings.HasSuffix(message.PkgPath(), "/events/v1") {
		return "events." + message.Name()
	}
	return message.Name()
}
