package raw

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
)

// Export returns an export of a table to S3, as it is now, with some data files.
func Export(t T, db *dyntest.DB, s *dynastay.Schema, files int) fstest.MapFS {
	t.Helper()
	lines := make([][]string, files)
	for i, item := range All(t, db, s) {
		lines[i%files] = append(lines[i%files], ExportLine(t, item))
	}
	return ExportOf(t, db.TableName(s), lines...)
}

// ExportLine returns an item as a line of a data file.
func ExportLine(t T, item dynastay.Item) string {
	t.Helper()
	line, err := json.Marshal(map[string]any{"Item": typedItem(item)})
	require.NoError(t, err)
	return string(line)
}

// ExportOf returns an export of a table whose data files have some lines.
func ExportOf(t T, table string, files ...[]string) fstest.MapFS {
	t.Helper()
	const folder = "backups/AWSDynamoDB/01693685827463-2d8752fd/"
	all, manifest, items := fstest.MapFS{}, bytes.Buffer{}, 0
	for i, lines := range files {
		name := fmt.Sprintf("data/file%d.json.gz", i)
		packed := Gzip(t, strings.Join(append(lines, ""), "\n"))
		sum := md5.Sum(packed)
		require.NoError(t, json.NewEncoder(&manifest).Encode(map[string]any{
			"itemCount": len(lines), "md5Checksum": base64.StdEncoding.EncodeToString(sum[:]), "etag": fmt.Sprintf("%x-1", sum), "dataFileS3Key": folder + name,
		}))
		all[name] = &fstest.MapFile{Data: packed}
		items += len(lines)
	}
	arn := "arn:aws:dynamodb:us-east-1:123456789012:table/" + table
	summary, err := json.Marshal(map[string]any{
		"version": "2023-08-01", "exportArn": arn + "/export/01693685827463-2d8752fd", "tableArn": arn, "tableId": "12345a12-abcd-123a-ab12-1234abc12345",
		"exportTime": "2026-07-01T12:00:00Z", "startTime": "2026-07-01T12:00:05Z", "endTime": "2026-07-01T12:05:00Z", "s3Bucket": "backups", "s3Prefix": "backups",
		"s3SseAlgorithm": "AES256", "s3SseKmsKeyId": nil, "manifestFilesS3Key": folder + "manifest-files.json", "billedSizeBytes": 0, "itemCount": items,
		"outputFormat": "DYNAMODB_JSON", "exportType": "FULL_EXPORT",
	})
	require.NoError(t, err)
	all["manifest-summary.json"] = &fstest.MapFile{Data: summary}
	all["manifest-files.json"] = &fstest.MapFile{Data: manifest.Bytes()}
	return all
}

// Gzip returns a text as a data file has it.
func Gzip(t T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.Bytes()
}

func typedItem(item dynastay.Item) map[string]any {
	all := map[string]any{}
	for name, v := range item {
		all[name] = typed(v)
	}
	return all
}

// typed returns a value under its type.
func typed(v types.AttributeValue) map[string]any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": base64.StdEncoding.EncodeToString(v.Value)}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": v.Value}
	case *types.AttributeValueMemberBS:
		return map[string]any{"BS": v.Value}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": typedItem(v.Value)}
	case *types.AttributeValueMemberL:
		all := make([]any, len(v.Value))
		for i, one := range v.Value {
			all[i] = typed(one)
		}
		return map[string]any{"L": all}
	}
	return map[string]any{"NULL": true}
}
