package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJavaIsUsedIfItsFolderIsSet(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	folder, noted := unpacked(t), filepath.Join(t.TempDir(), "starts")
	t.Setenv(localVar, folder)
	t.Setenv(startsVar, noted)
	t.Setenv("PATH", fakes(t, "java", "dynoxide"))
	engine, err := Start(t.Context())
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("DynamoDB Local from %s on %s", folder, engine.Endpoint()[len("http://"):]), engine.Name())
	assert.Contains(t, engine.Account(), "endpoint  not tried because DYNTEST_DYNAMODB_LOCAL="+folder)

	port := engine.Endpoint()[len("http://127.0.0.1:"):]
	assert.Equal(t, []string{fmt.Sprintf(
		"%[1]s telemetry=0 -XX:TieredStopAtLevel=1 -Djava.library.path=%[1]s/DynamoDBLocal_lib -jar %[1]s/DynamoDBLocal.jar -inMemory -port %[2]s",
		folder, port)}, starts(t, noted))

	require.NoError(t, engine.Stop(t.Context()))
	assert.False(t, listens(t, engine.Endpoint()))
}

func TestJavaHomeIsUsed(t *testing.T) {
	onlyUnix(t)
	nothingChosen(t)
	home := t.TempDir()
	require.NoError(t, os.Rename(fakes(t, "java"), filepath.Join(home, "bin")))
	t.Setenv("JAVA_HOME", home)
	t.Setenv("PATH", "")
	t.Setenv(localVar, unpacked(t))
	engine, err := Start(t.Context())
	require.NoError(t, err)
	stopped(t, engine)
}

func TestJavaIsUnavailable(t *testing.T) {
	onlyUnix(t)
	empty, folder := t.TempDir(), unpacked(t)
	java := fakes(t, "java")
	tests := map[string]struct {
		env  map[string]string
		want []string
	}{
		"no folder is named": {
			map[string]string{engineVar: "java"},
			[]string{"java      DYNTEST_DYNAMODB_LOCAL is not set", "docker    not tried because DYNTEST_ENGINE=java"},
		},
		"the folder is a different one": {
			map[string]string{localVar: empty},
			[]string{
				"java      DYNTEST_DYNAMODB_LOCAL must be the folder of an unpacked DynamoDB Local download: stat " +
					filepath.Join(empty, "DynamoDBLocal.jar") + ": no such file",
				"docker    not tried because DYNTEST_DYNAMODB_LOCAL=" + empty,
				"dynoxide  not tried because DYNTEST_DYNAMODB_LOCAL=" + empty,
				"Unset DYNTEST_DYNAMODB_LOCAL",
			},
		},
		"no Java": {
			map[string]string{localVar: folder, "PATH": empty},
			[]string{`java      exec: "java": executable file not found in $PATH, and JAVA_HOME is not set`},
		},
		"JAVA_HOME is a different folder": {
			map[string]string{localVar: folder, "JAVA_HOME": empty},
			[]string{"java      JAVA_HOME is " + empty + ": exec: \"" + empty + "/bin/java\": stat"},
		},
		"Java is too old": {
			map[string]string{localVar: folder, oldJavaVar: "1"},
			[]string{
				"java      " + filepath.Join(java, "java") + ": the process exited before it answered; output: " +
					"java.lang.UnsupportedClassVersionError: compiled by a more recent version",
				"Java 17 or later",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			nothingChosen(t)
			t.Setenv("PATH", java)
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			_, err := Start(t.Context(), allow(working))
			require.Error(t, err)
			for _, part := range test.want {
				assert.ErrorContains(t, err, part)
			}
			assert.NotContains(t, err.Error(), "Start Docker", "it was not tried")
		})
	}
}

func TestRealJava(t *testing.T) {
	folder := os.Getenv(localVar)
	if folder == "" {
		t.Skipf("requires %s, the folder of an unpacked DynamoDB Local download", localVar)
	}
	t.Parallel()
	before, err := os.ReadDir(folder)
	require.NoError(t, err)
	ctx := context.WithoutCancel(t.Context())
	var endpoints []string
	for range 2 {
		engine, err := Start(ctx, On(Java))
		require.NoError(t, err)
		endpoints = append(endpoints, engine.Endpoint())
		require.NoError(t, engine.CreateTables(ctx, "java-", guests), "each has its own tables")
		require.NoError(t, engine.DeleteTables(ctx, "java-", guests))
		require.NoError(t, engine.CreateTables(ctx, "java-", guests))
		defer func() {
			require.NoError(t, engine.Stop(ctx))
			assert.False(t, listens(t, engine.Endpoint()))
		}()
	}
	assert.NotEqual(t, endpoints[0], endpoints[1])

	after, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, after, len(before), "it left files in its folder")
}
