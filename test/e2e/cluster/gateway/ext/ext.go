// Package ext stands in for a part of Traefik that is published with no version: both types are empty there, too.
package ext

// HTTP extends the HTTP configuration.
type HTTP struct{}

// Router extends a router.
type Router struct{}
