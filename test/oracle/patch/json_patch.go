package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	strictjson "sigs.k8s.io/json"
)

// maxOperations and the size of copies are limits of kube-apiserver.
const maxOperations = 10000

func init() {
	jsonpatch.AccumulatedCopySizeLimit = 3 * 1024 * 1024
}

type patchProbe struct {
	Document json.RawMessage `json:"document"`
	Patch    json.RawMessage `json:"patch"`
}

// jsonPatchOperation has the fields that the server looks for when it validates fields, which it does by default.
type jsonPatchOperation struct {
	Op    string      `json:"op"`
	Path  string      `json:"path"`
	From  string      `json:"from"`
	Value interface{} `json:"value"`
}

func jsonPatchOp(request json.RawMessage) (any, error) {
	var probe patchProbe
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	var operations []jsonPatchOperation
	strict, err := strictjson.UnmarshalStrict(probe.Patch, &operations)
	if err != nil {
		return refused(apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %s", inServerTerms(err))), "")
	}
	for i, one := range strict {
		strict[i] = fmt.Errorf("json patch %v", one)
	}
	patch, err := jsonpatch.DecodePatch(probe.Patch)
	if err != nil {
		return refused(apierrors.NewBadRequest(err.Error()), "")
	}
	if len(patch) > maxOperations {
		text := fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, len(patch))
		return refused(apierrors.NewRequestEntityTooLargeError(text), "")
	}
	result, err := patch.Apply(probe.Document)
	if err != nil {
		return refused(unprocessable(err), err.Error())
	}
	return patched(json.RawMessage(result), strict)
}

func mergePatchOp(request json.RawMessage) (any, error) {
	var probe patchProbe
	if err := json.Unmarshal(request, &probe); err != nil {
		return nil, err
	}
	fields := map[string]interface{}{}
	strict, err := strictjson.UnmarshalStrict(probe.Patch, &fields)
	if err != nil {
		return refused(apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err)), "")
	}
	result, err := jsonpatch.MergePatch(probe.Document, probe.Patch)
	if err == jsonpatch.ErrBadJSONPatch {
		return refused(apierrors.NewBadRequest(err.Error()), "")
	}
	if err != nil {
		return refused(err, "")
	}
	return patched(json.RawMessage(result), strict)
}

func unprocessable(err error) error {
	return apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
}

// inServerTerms names the type as it is named in the server.
func inServerTerms(err error) string {
	return strings.ReplaceAll(strings.ReplaceAll(err.Error(), "main.jsonPatchOperation", "handlers.jsonPatchOp"), "jsonPatchOperation", "jsonPatchOp")
}
