package main

import (
	"encoding/json"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	strictjson "sigs.k8s.io/json"
)

type strategicProbe struct {
	patchProbe
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func strategicOp(request json.RawMessage) (any, error) {
	var probe strategicProbe
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	structure, err := scheme.Scheme.New(schema.FromAPIVersionAndKind(probe.APIVersion, probe.Kind))
	if err != nil {
		return nil, err
	}
	original := map[string]interface{}{}
	if err := kubejson.Unmarshal(probe.Document, &original); err != nil {
		return nil, err
	}
	// Lists without room to grow, as the server has them: the library appends in place where it can.
	original = runtime.DeepCopyJSON(original)
	patch := map[string]interface{}{}
	strict, err := strictjson.UnmarshalStrict(probe.Patch, &patch)
	if err != nil {
		return refused(apierrors.NewBadRequest(err.Error()), "")
	}
	result, err := strategicpatch.StrategicMergeMapPatch(original, patch, structure)
	if err != nil {
		return refused(interpreted(err), err.Error())
	}
	return patched(result, strict)
}

// interpreted gives the error the code that the server gives it.
func interpreted(err error) error {
	switch err {
	case mergepatch.ErrBadJSONDoc, mergepatch.ErrBadPatchFormatForPrimitiveList, mergepatch.ErrBadPatchFormatForRetainKeys,
		mergepatch.ErrBadPatchFormatForSetElementOrderList, mergepatch.ErrUnsupportedStrategicMergePatchFormat:
		return apierrors.NewBadRequest(err.Error())
	case mergepatch.ErrNoListOfLists, mergepatch.ErrPatchContentNotMatchRetainKeys:
		return unprocessable(err)
	default:
		return err
	}
}
