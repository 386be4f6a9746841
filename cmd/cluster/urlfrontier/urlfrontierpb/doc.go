// Package urlfrontierpb is the gRPC contract of crawler-commons/url-frontier, version 2.6, as Go
// code. urlfrontier.proto is the contract; the two files ending in .pb.go are generated from it:
//
//	go generate ./cluster/urlfrontier/urlfrontierpb
//
// That needs protoc (Debian's protobuf-compiler). The plug-ins are those of tools.mod.
package urlfrontierpb

//go:generate sh -c "protoc --plugin=$(go tool -modfile=../../../tools.mod -n protoc-gen-go) --plugin=$(go tool -modfile=../../../tools.mod -n protoc-gen-go-grpc) --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative urlfrontier.proto"
