package push

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Send sends URLs to the Inbox at an address, as hints of the operator.
func Send(ctx context.Context, to string, urls []string) error {
	body, err := json.Marshal(map[string][]string{"urls": urls})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+to+"/hint",
		bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	// Not the default transport, which takes a proxy from the environment.
	client := http.Client{Transport: &http.Transport{}, Timeout: requestTime + time.Second}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<10))
		return fmt.Errorf("%s refuses: %s", to, strings.TrimSpace(string(why)))
	}
	return nil
}
