// Traefik, a Gateway for the tests on a cluster: scripts/gateway-tools.sh builds it from source.
// A fork that it takes of go-http-auth cannot be had: the original takes its place, in logins that nothing here asks for.
module svc/gateway

go 1.26.0

require github.com/traefik/traefik/v3 v3.7.13

replace (
	github.com/abbot/go-http-auth => github.com/abbot/go-http-auth v0.4.1-0.20220112235402-e1cee1c72f2f
	github.com/gorilla/mux => github.com/containous/mux v0.0.0-20250523120546-41b6ec3aed59
	github.com/traefik/traefik/dynamic/ext => ./ext
)

exclude github.com/tencentcloud/tencentcloud-sdk-go v3.0.83+incompatible
