// The protobuf oracle: objects of Kubernetes' own types, in the two forms in which clients send them.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"reflect"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"millwright.dev/oracle/wire"
)

func main() {
	utilruntime.Must(apiextensions.AddToScheme(scheme.Scheme))
	utilruntime.Must(metav1.AddMetaToScheme(scheme.Scheme))
	err := wire.Serve(os.Stdin, os.Stdout, map[string]wire.Op{
		"random": randomOp,
		"encode": encodeOp,
		"decode": decodeOp,
		"fields": fieldsOp,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var serializer = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

type question struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Seed       int64           `json:"seed"`
	Object     json.RawMessage `json:"object"`
	Bytes      []byte          `json:"bytes"`
}

type forms struct {
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// randomOp makes an object up, and gives it in both forms.
func randomOp(request json.RawMessage) (any, error) {
	asked, object, err := newObject(request)
	if err != nil {
		return nil, err
	}
	filler{rand.New(rand.NewSource(asked.Seed))}.fill(reflect.ValueOf(object).Elem(), 0)
	return bothForms(asked, object)
}

// encodeOp gives an object that was sent as JSON in both forms, so that what JSON left out shows.
func encodeOp(request json.RawMessage) (any, error) {
	asked, object, err := newObject(request)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(asked.Object, object); err != nil {
		return nil, err
	}
	return bothForms(asked, object)
}

type decoded struct {
	OK     bool            `json:"ok"`
	Object json.RawMessage `json:"object,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// decodeOp reads a body as the server does.
func decodeOp(request json.RawMessage) (any, error) {
	var asked question
	if err := json.Unmarshal(request, &asked); err != nil {
		return nil, err
	}
	expected := schema.FromAPIVersionAndKind(asked.APIVersion, asked.Kind)
	object, kind, err := serializer.Decode(asked.Bytes, &expected, nil)
	if err != nil {
		return decoded{Error: err.Error()}, nil
	}
	object.GetObjectKind().SetGroupVersionKind(*kind)
	raw, err := json.Marshal(object)
	if err != nil {
		return decoded{Error: err.Error()}, nil
	}
	return decoded{OK: true, Object: raw}, nil
}

func newObject(request json.RawMessage) (question, runtime.Object, error) {
	var asked question
	if err := json.Unmarshal(request, &asked); err != nil {
		return asked, nil, err
	}
	object, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(asked.APIVersion, asked.Kind))
	return asked, object, err
}

func bothForms(asked question, object runtime.Object) (any, error) {
	object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(asked.APIVersion, asked.Kind))
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	bytes, err := runtime.Encode(serializer, object)
	if err != nil {
		return nil, err
	}
	return forms{Protobuf: bytes, JSON: raw}, nil
}
