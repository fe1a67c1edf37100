package main

import (
	"fmt"
	"math/rand"
	"reflect"
	"time"

	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filler makes values up. About half of what may be absent is, so that every field is missed and met.
type filler struct{ *rand.Rand }

// Schemas hold schemas; what is deeper than this stays empty.
const maxDepth = 12

func (f filler) fill(value reflect.Value, depth int) {
	if f.special(value, depth) {
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if f.Intn(2) == 0 && depth < maxDepth {
			value.Set(reflect.New(value.Type().Elem()))
			f.fill(value.Elem(), depth+1)
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); field.IsExported() && field.Tag.Get("protobuf") != "" {
				f.fill(value.Field(i), depth+1)
			}
		}
	case reflect.Slice:
		f.fillSlice(value, depth)
	case reflect.Map:
		if f.Intn(2) == 0 || depth >= maxDepth {
			return
		}
		value.Set(reflect.MakeMap(value.Type()))
		for range 1 + f.Intn(2) {
			item := reflect.New(value.Type().Elem()).Elem()
			f.fill(item, depth+1)
			key := reflect.ValueOf(f.text()).Convert(value.Type().Key())
			value.SetMapIndex(key, item)
		}
	case reflect.String:
		value.SetString(f.text())
	case reflect.Bool:
		value.SetBool(f.Intn(2) == 0)
	case reflect.Int32:
		value.SetInt(f.whole(1 << 31))
	case reflect.Int64:
		// No further than JSON's numbers are exact elsewhere.
		value.SetInt(f.whole(1 << 53))
	case reflect.Float64:
		value.SetFloat(float64(f.Intn(2000)-1000) / 8)
	default:
		panic(fmt.Sprintf("cannot fill %v", value.Type()))
	}
}

func (f filler) fillSlice(value reflect.Value, depth int) {
	if value.Type().Elem().Kind() == reflect.Uint8 {
		bytes := make([]byte, f.Intn(20))
		f.Read(bytes)
		value.SetBytes(bytes)
		return
	}
	if f.Intn(2) == 0 || depth >= maxDepth {
		return
	}
	count := 1 + f.Intn(2)
	value.Set(reflect.MakeSlice(value.Type(), count, count))
	for i := range count {
		f.fill(value.Index(i), depth+1)
	}
}

// special fills what has a form of its own in JSON.
func (f filler) special(value reflect.Value, depth int) bool {
	switch target := value.Addr().Interface().(type) {
	case *metav1.Time:
		*target = metav1.NewTime(f.time(time.Second))
	case *metav1.MicroTime:
		*target = metav1.NewMicroTime(f.time(time.Microsecond))
	case *resource.Quantity:
		*target = resource.MustParse([]string{"0", "1", "100m", "5Gi", "1k", "-2", "1e3", "0.5"}[f.Intn(8)])
	case *intstr.IntOrString:
		*target = intstr.FromString(f.text())
		if f.Intn(2) == 0 {
			*target = intstr.FromInt32(int32(f.whole(1 << 31)))
		}
	case *authentication.ExtraValue:
		// Nothing and an empty list are the same on the wire.
		*target = authentication.ExtraValue{f.text()}
	case *authorization.ExtraValue:
		*target = authorization.ExtraValue{f.text(), f.text()}
	case *metav1.FieldsV1:
		target.Raw = f.json()
	case *runtime.RawExtension:
		target.Raw = f.json()
	case *apiextensions.JSON:
		target.Raw = f.json()
	case *apiextensions.JSONSchemaPropsOrArray:
		f.either(&target.Schema, &target.JSONSchemas, depth)
	case *apiextensions.JSONSchemaPropsOrStringArray:
		f.either(&target.Schema, &target.Property, depth)
	case *apiextensions.JSONSchemaPropsOrBool:
		target.Allows = f.Intn(2) == 0
		if f.Intn(2) == 0 && depth < maxDepth {
			target.Allows = true
			target.Schema = &apiextensions.JSONSchemaProps{}
			f.fill(reflect.ValueOf(target.Schema).Elem(), depth+1)
		}
	default:
		return false
	}
	return true
}

// either fills one of two fields that exclude each other.
func (f filler) either(schema **apiextensions.JSONSchemaProps, list any, depth int) {
	if f.Intn(2) == 0 && depth < maxDepth {
		*schema = &apiextensions.JSONSchemaProps{}
		f.fill(reflect.ValueOf(*schema).Elem(), depth+1)
		return
	}
	f.fill(reflect.ValueOf(list).Elem(), depth+1)
}

func (f filler) time(precision time.Duration) time.Time {
	if f.Intn(4) == 0 {
		return time.Time{}
	}
	return time.Unix(f.Int63n(1<<33)-1<<32, f.Int63n(1e9)).UTC().Truncate(precision)
}

func (f filler) whole(limit int64) int64 {
	return []int64{0, 1, -1, 200, limit - 1, -limit, f.Int63n(limit)}[f.Intn(7)]
}

func (f filler) text() string {
	return []string{"", "a", "name", "wörld", "x-1", "__proto__", "\u65e5\u672c 😀", "<&>\n"}[f.Intn(8)]
}

func (f filler) json() []byte {
	return []byte([]string{`{"f:a":{".":{}}}`, `[1,"x",null]`, `"text"`, `true`, `{}`, `-1.5`}[f.Intn(6)])
}
