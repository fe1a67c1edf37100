// The patch oracle: what kube-apiserver makes of an object and a patch, and of who owns its fields then.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"millwright.dev/oracle/wire"
)

func main() {
	err := wire.Serve(os.Stdin, os.Stdout, map[string]wire.Op{
		"json-patch":            asked(jsonPatchOp),
		"merge-patch":           asked(mergePatchOp),
		"strategic-merge-patch": asked(strategicOp),
		"built-in-schema":       builtInSchemaOp,
		"fields-v1":             fieldsOp,
		"apply":                 asked(applyOp),
		"update":                asked(updateOp),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answer is the patched object, or why there is none.
type answer struct {
	OK     bool            `json:"ok"`
	Object json.RawMessage `json:"object,omitempty"`
	// Refusal is what the client would read.
	Refusal *refusal `json:"refusal,omitempty"`
	// Detail is the error of the library if the client does not see it.
	Detail string `json:"detail,omitempty"`
	// StrictErrors are those of field validation: warnings or, when strict, a rejection.
	StrictErrors []string `json:"strictErrors,omitempty"`
	// Panic is set if the library crashed: a real server answers 500 and logs a trace.
	Panic string `json:"panic,omitempty"`
}

type refusal struct {
	Code    int32                `json:"code"`
	Reason  string               `json:"reason"`
	Message string               `json:"message"`
	Causes  []metav1.StatusCause `json:"causes,omitempty"`
}

func patched(object any, strict []error) (any, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	result := answer{OK: true, Object: raw}
	for _, one := range strict {
		result.StrictErrors = append(result.StrictErrors, one.Error())
	}
	return result, nil
}

// refused gives an error as the server's response writer does.
func refused(err error, detail string) (any, error) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return answer{Refusal: &refusal{Code: 500, Message: err.Error()}, Detail: detail}, nil
	}
	reported := status.Status()
	result := refusal{Code: reported.Code, Reason: string(reported.Reason), Message: reported.Message}
	if reported.Details != nil {
		result.Causes = reported.Details.Causes
	}
	return answer{Refusal: &result, Detail: detail}, nil
}

// survive turns a crash of a library into an answer.
func survive(op wire.Op) wire.Op {
	return func(request json.RawMessage) (result any, err error) {
		defer func() {
			if cause := recover(); cause != nil {
				result, err = answer{Panic: fmt.Sprint(cause)}, nil
			}
		}()
		return op(request)
	}
}

// asked returns all distinct answers to a repeated question: the messages of the libraries for several mistakes vary,
// because Go shuffles maps.
func asked(op wire.Op) wire.Op {
	return func(request json.RawMessage) (any, error) {
		var probe struct {
			Times int `json:"times"`
		}
		if err := json.Unmarshal(request, &probe); err != nil {
			return nil, err
		}
		answers := []json.RawMessage{}
		met := map[string]bool{}
		for i := 0; i < max(1, probe.Times); i++ {
			result, err := survive(op)(request)
			if err != nil {
				return nil, err
			}
			raw, err := json.Marshal(result)
			if err != nil {
				return nil, err
			}
			if !met[string(raw)] {
				met[string(raw)] = true
				answers = append(answers, raw)
			}
		}
		return answers, nil
	}
}
