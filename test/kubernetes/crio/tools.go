//go:build tools

// Package tools names CRI-O, so that its module stays pinned.
package tools

import _ "github.com/cri-o/cri-o/cmd/crio"
