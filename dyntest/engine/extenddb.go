package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

var extendDB = &binary{
	name: "extenddb", version: "0.1.10",
	integrities: map[string]string{
		"linux-x64": "sha512-VH9yqcA8morx94IGvqKhiQPOvakUGXzZ7c/bjyo42e4F+T/0VsxOFfSjYVj0/w65BBj1lExuU5ifpcYIqLSX6g==",
	},
	elsewhere: "https://github.com/ExtendDB/extenddb says how to build it",
}

// extendDBConfig makes ExtendDB serve HTTP and keep its tables in memory.
const extendDBConfig = `[server]
bind_addr = "127.0.0.1"
[storage]
backend = "sqlite"
[storage.sqlite]
path = ":memory:"
`

func startExtendDB(ctx context.Context) (_ *Engine, err error) {
	path, err := extendDB.find(ctx)
	if err != nil {
		return nil, err
	}
	// It takes its settings from a file with this ending only, and no longer needs the file once it answers.
	config, err := os.CreateTemp("", "dyntest-*.toml")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(config.Name())) }()
	_, err = config.WriteString(extendDBConfig)
	if err := errors.Join(err, config.Close()); err != nil {
		return nil, err
	}
	password := rand.Text()
	process, address, err := serve(ctx, 10*time.Second, func(port int) *exec.Cmd {
		cmd := exec.Command(path, "serve", "--foreground", "--config", config.Name(), "--port", strconv.Itoa(port))
		cmd.Env = extendDBEnvironment(os.Environ(), password)
		return cmd
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	engine := newEngine(fmt.Sprintf("extenddb %s on %s", extendDB.version, address), "http://"+address, process.stop)
	engine.network = patient{engine.transport}
	// An index would otherwise be 10 ms behind its table, and a table take 250 ms to be created or deleted. The faults of
	// package dyntest make indexes late where a test wants that.
	for _, setting := range []string{"index_propagation_delay_ms", "control_plane_delay_seconds"} {
		if err := setExtendDB(ctx, engine.endpoint, password, setting, "0"); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), process.stop(ctx))
		}
	}
	return engine, nil
}

// extendDBUser is the administrator of an engine's settings.
const extendDBUser = "dyntest"

// extendDBEnvironment returns the environment without the credentials of the caller's, which ExtendDB would accept
// instead of its own.
func extendDBEnvironment(environ []string, password string) []string {
	env := []string{"EXTENDDB_ADMIN_USER=" + extendDBUser, "EXTENDDB_ADMIN_PASSWORD=" + password, "RUST_LOG=warn"}
	for _, variable := range environ {
		if !strings.HasPrefix(variable, "AWS_") {
			env = append(env, variable)
		}
	}
	return env
}

func setExtendDB(ctx context.Context, endpoint, password, setting, value string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, endpoint+"/management/settings/"+setting, strings.NewReader(`{"value":"`+value+`"}`))
	if err != nil {
		return err
	}
	req.SetBasicAuth(extendDBUser, password)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("set %s to %s: %s: %s", setting, value, resp.Status, bytes.TrimSpace(answer))
	}
	return nil
}
