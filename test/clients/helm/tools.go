//go:build tools

// Package tools names the program, so that its modules stay pinned.
package tools

import _ "helm.sh/helm/v3/cmd/helm"
