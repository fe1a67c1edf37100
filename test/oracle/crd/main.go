// The CRD oracle: the validation of CustomResourceDefinitions and their objects by kube-apiserver.
package main

import (
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"millwright.dev/oracle/wire"
)

func main() {
	err := wire.Serve(os.Stdin, os.Stdout, map[string]wire.Op{
		"crd-validate":    crdOp,
		"object-validate": objectOp,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// problem is a field error as a Status carries it: reason, field and message are those of a cause.
type problem struct {
	Field   string `json:"field"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Detail  string `json:"detail"`
}

func problemsOf(errors field.ErrorList) []problem {
	problems := []problem{}
	for _, e := range errors {
		problems = append(problems, problem{
			Field:   e.Field,
			Reason:  string(e.Type),
			Message: e.ErrorBody(),
			Detail:  e.Detail,
		})
	}
	return problems
}
