// Package lint holds the house rules as tests: who may import whom, what a
// library package may not do, and what may not stand in the repository.
// CONTRIBUTING.md lists each rule beside the test that holds it.
package lint
