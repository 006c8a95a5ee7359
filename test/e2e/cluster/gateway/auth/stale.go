package auth

import "net/http"

// RequireAuthStale is what Traefik's fork of this module adds. Nothing logs in by digest here.
func (da *DigestAuth) RequireAuthStale(w http.ResponseWriter, r *http.Request) {
	da.RequireAuth(w, r)
}
