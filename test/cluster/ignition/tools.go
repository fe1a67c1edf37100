//go:build tools

// Package tools names Ignition, so that its module stays pinned.
package tools

import _ "github.com/coreos/ignition/v2/internal"
