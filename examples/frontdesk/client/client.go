// Package client calls the API. After a change of the API, this writes its description anew, and generates the client from that:
//
//	go generate ./client
package client

//go:generate go test -run TestDescription . -update
//go:generate go tool ogen -loglevel error -clean -config ogen.yml -package client -target . openapi.json
