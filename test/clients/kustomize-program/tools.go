//go:build tools

// Package tools names the program, so that its modules stay pinned.
package tools

import _ "sigs.k8s.io/kustomize/kustomize/v5"
