package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// telemetryVar keeps DynamoDB Local from reporting to its maker that it was started, which it does by default.
const telemetryVar = "DDB_LOCAL_TELEMETRY"

const javaHelp = "Download DynamoDB Local (see the DynamoDB Developer Guide), unpack it, and set " + localVar +
	" to its folder. It requires Java 17 or later:\n" +
	"  mkdir -p ~/dynamodb-local\n" +
	"  tar -xzf dynamodb_local_latest.tar.gz -C ~/dynamodb-local\n" +
	"  export " + localVar + "=\"$HOME/dynamodb-local\""

// startJava runs the downloaded DynamoDB Local. It listens on all addresses of the machine, because it has no option for one.
func startJava(ctx context.Context) (*Engine, error) {
	folder := os.Getenv(localVar)
	if folder == "" {
		return nil, errors.New(localVar + " is not set")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	jar := filepath.Join(folder, "DynamoDBLocal.jar")
	if _, err := os.Stat(jar); err != nil {
		return nil, fmt.Errorf("%s must be the folder of an unpacked DynamoDB Local download: %w", localVar, err)
	}
	java, err := findJava()
	if err != nil {
		return nil, err
	}
	// The second, optimizing compiler takes a third of the start time, and few tests run long enough to benefit from it.
	process, address, err := serve(ctx, time.Minute, func(port int) *exec.Cmd {
		cmd := exec.Command(java, "-XX:TieredStopAtLevel=1",
			"-Djava.library.path="+filepath.Join(folder, "DynamoDBLocal_lib"), "-jar", jar,
			"-inMemory", "-port", strconv.Itoa(port))
		cmd.Dir = folder // so that a crash report of Java is not written among the package's sources
		cmd.Env = append(os.Environ(), telemetryVar+"=0")
		return cmd
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", java, err)
	}
	return newEngine(fmt.Sprintf("DynamoDB Local from %s on %s", folder, address), "http://"+address, process.stop), nil
}

// findJava returns the java of JAVA_HOME if that is set, as Java's own tools do, otherwise the one on PATH.
func findJava() (string, error) {
	home := os.Getenv("JAVA_HOME")
	if home == "" {
		path, err := exec.LookPath("java")
		if err != nil {
			return "", fmt.Errorf("%w, and JAVA_HOME is not set", err)
		}
		return path, nil
	}
	path, err := exec.LookPath(filepath.Join(home, "bin", "java"))
	if err != nil {
		return "", fmt.Errorf("JAVA_HOME is %s: %w", home, err)
	}
	return path, nil
}
