// Package engine finds or starts a DynamoDB engine for a program, in one line:
//
//	e, err := engine.Start(ctx)
//	if err != nil {
//		return err
//	}
//	defer e.Stop(ctx)
//
// [Engine.Client] returns a client of its tables, and [Engine.Streams] one of their streams.
//
// It imports neither testing nor Docker. A test uses [dyntest.New] instead, which also creates tables for that test only.
//
// # The engines
//
// Start uses the first of these that is available:
//
//  1. [Endpoint]: an engine that is already running, if DYNTEST_ENDPOINT is set to its address. No other engine is then
//     tried, so that a wrong address is reported as an error.
//  2. [Java]: DynamoDB Local as a process of this machine's Java (that of JAVA_HOME, otherwise the one on PATH), if
//     DYNTEST_DYNAMODB_LOCAL is set to the folder of an unpacked download. If it is set and DYNTEST_ENDPOINT is not, no
//     other engine is tried.
//  3. [Docker]: DynamoDB Local in a container, if the program passes [docker.Allow] to Start. This requires an option
//     because it links testcontainers, and with it the Docker client, into the program.
//  4. [Dynoxide]: dynoxide, an in-memory DynamoDB in one binary that requires neither Docker nor Java: the one on PATH, or
//     a pinned build that npm downloads once into the user's cache folder.
//
// [ExtendDB], another engine in one binary, is found in the same way as dynoxide, but used only if it is asked for.
//
// Java, dynoxide and ExtendDB require a Unix system. Each Start runs a separate process, which ends when the program ends, even
// if the program is killed. DynamoDB Local runs without telemetry.
//
// An option such as [On] overrides the environment. Without one, these environment variables choose the engine:
//
//	DYNTEST_ENGINE           endpoint, java, docker, dynoxide or extenddb: try this one only
//	DYNTEST_ENDPOINT         the address of a running engine, such as http://127.0.0.1:8000
//	DYNTEST_DYNAMODB_LOCAL   the folder with DynamoDBLocal.jar and DynamoDBLocal_lib
//	DYNTEST_IMAGE            the image for Docker; default amazon/dynamodb-local:3.1.0
//
// [dyntest.New]: https://pkg.go.dev/github.com/dynastay/dynastay/dyntest#New
// [docker.Allow]: https://pkg.go.dev/github.com/dynastay/dynastay/dyntest/engine/docker#Allow
package engine
