//go:build tools

// Package objectstore pins the object store that tests run.
package objectstore

import (
	_ "github.com/versity/versitygw/cmd/versitygw"
)
