/// \file
/// The requirements of SARIF 2.1.0 (OASIS, sections 3.13 to 3.58) for the properties that omen writes: which must
/// exist, their types and values, and which exclude each other.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace omen::test {

using Sarif = nlohmann::ordered_json;

/// Every property has a name that the standard defines for this object, and the required ones exist.
inline void expect_properties(const Sarif& object, const std::set<std::string>& required,
                              const std::set<std::string>& allowed, const std::string& what) {
  ASSERT_TRUE(object.is_object()) << what;
  for (const std::string& name : required) EXPECT_TRUE(object.contains(name)) << what << " has no " << name;
  for (const auto& [name, value] : object.items()) {
    EXPECT_TRUE(required.contains(name) || allowed.contains(name)) << what << " has " << name;
  }
}

/// 3.11: a message has text or an id.
inline void expect_message(const Sarif& message) {
  expect_properties(message, {"text"}, {"id", "markdown", "arguments"}, "message");
  EXPECT_TRUE(message["text"].is_string());
  EXPECT_FALSE(message["text"].get<std::string>().empty());
}

/// 3.4: a URI is relative or absolute, and contains no character that has to be escaped.
inline void expect_artifact_location(const Sarif& location) {
  expect_properties(location, {"uri"}, {"uriBaseId", "index", "description"}, "artifactLocation");
  const std::string uri = location["uri"];
  EXPECT_EQ(uri.find_first_of(" \"<>\\^`{|}\n"), std::string::npos) << uri;
  if (location.contains("uriBaseId")) {
    EXPECT_FALSE(uri.starts_with("/") || uri.starts_with("file:")) << uri;
  }
}

/// 3.28 to 3.33.
inline void expect_location(const Sarif& location) {
  expect_properties(location, {}, {"id", "physicalLocation", "logicalLocations", "message"}, "location");
  if (location.contains("id")) {
    EXPECT_GE(location["id"].get<int>(), 0);
  }
  if (location.contains("message")) expect_message(location["message"]);
  if (location.contains("physicalLocation")) {
    const Sarif& physical = location["physicalLocation"];
    expect_properties(physical, {}, {"artifactLocation", "region", "contextRegion", "address"}, "physicalLocation");
    EXPECT_TRUE(physical.contains("artifactLocation") || physical.contains("address"));
    if (physical.contains("artifactLocation")) expect_artifact_location(physical["artifactLocation"]);
    if (physical.contains("region")) {
      expect_properties(physical["region"], {"startLine"}, {"startColumn"}, "region");
      EXPECT_GE(physical["region"]["startLine"].get<int>(), 1);
      if (physical["region"].contains("startColumn")) {
        EXPECT_GE(physical["region"]["startColumn"].get<int>(), 1);
      }
    }
  }
  if (location.contains("logicalLocations")) {
    for (const Sarif& logical : location["logicalLocations"]) {
      expect_properties(logical, {}, {"name", "fullyQualifiedName", "decoratedName", "kind"}, "logicalLocation");
      EXPECT_TRUE(logical.contains("name") || logical.contains("fullyQualifiedName"));
    }
  }
}

/// 3.36 to 3.38: thread flows have locations; execution orders are not negative and increase within a thread.
inline void expect_code_flow(const Sarif& flow) {
  expect_properties(flow, {"threadFlows"}, {"message"}, "codeFlow");
  EXPECT_FALSE(flow["threadFlows"].empty());
  std::set<int> seen;
  for (const Sarif& thread : flow["threadFlows"]) {
    expect_properties(thread, {"locations"}, {"id", "message"}, "threadFlow");
    EXPECT_FALSE(thread["locations"].empty());
    int last = 0;
    for (const Sarif& step : thread["locations"]) {
      expect_properties(step, {}, {"location", "executionOrder", "importance", "kinds"}, "threadFlowLocation");
      EXPECT_TRUE(step.contains("location"));
      expect_location(step["location"]);
      const int order = step["executionOrder"];
      EXPECT_GT(order, last);
      EXPECT_TRUE(seen.insert(order).second);
      last = order;
      const std::string importance = step["importance"];
      EXPECT_TRUE(importance == "essential" || importance == "important" || importance == "unimportant");
    }
  }
}

/// 3.27.
inline void expect_result(const Sarif& result, const Sarif& rules) {
  expect_properties(
      result, {"message", "ruleId", "locations", "partialFingerprints"},
      {"ruleIndex", "level", "kind", "relatedLocations", "stacks", "codeFlows", "occurrenceCount", "properties"},
      "result");
  expect_message(result["message"]);
  const auto rule = result["ruleIndex"].get<std::size_t>();
  ASSERT_LT(rule, rules.size());
  EXPECT_EQ(rules[rule]["id"], result["ruleId"]);
  const std::string level = result["level"];
  const std::string kind = result["kind"];
  if (kind == "fail") {
    EXPECT_TRUE(level == "error" || level == "warning" || level == "note");
  } else {  // 3.27.9, 3.27.10
    EXPECT_TRUE(kind == "pass" || kind == "review");
    EXPECT_EQ(level, "none");
  }
  for (const Sarif& location : result["locations"]) expect_location(location);
  std::set<int> ids;
  for (const Sarif& location : result["relatedLocations"]) {
    expect_location(location);
    EXPECT_TRUE(ids.insert(location["id"].get<int>()).second) << "ids are unique";
  }
  for (const Sarif& stack : result["stacks"]) {
    expect_properties(stack, {"frames"}, {"message"}, "stack");
    for (const Sarif& frame : stack["frames"]) {
      expect_properties(frame, {}, {"location", "module", "threadId"}, "stackFrame");
      expect_location(frame["location"]);
    }
  }
  if (result.contains("codeFlows")) {
    for (const Sarif& flow : result["codeFlows"]) expect_code_flow(flow);
  }
  for (const auto& [name, value] : result["partialFingerprints"].items()) EXPECT_TRUE(value.is_string()) << name;
  EXPECT_GE(result["occurrenceCount"].get<int>(), 1);
}

/// 3.13, 3.14, 3.18 to 3.20, 3.49.
inline void expect_sarif(const Sarif& log) {
  expect_properties(log, {"version", "runs"}, {"$schema"}, "log");
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1U);
  const Sarif& run = log["runs"][0];
  expect_properties(run, {"tool", "results"}, {"invocations", "originalUriBaseIds", "columnKind", "properties"}, "run");
  const Sarif& driver = run["tool"]["driver"];
  expect_properties(driver, {"name"}, {"version", "rules"}, "driver");
  for (const Sarif& rule : driver["rules"]) {
    expect_properties(rule, {"id"},
                      {"name", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"},
                      "rule");
    expect_message(rule["shortDescription"]);
    expect_message(rule["help"]);
  }
  for (const Sarif& invocation : run["invocations"]) {
    expect_properties(
        invocation, {"executionSuccessful"},
        {"commandLine", "arguments", "processId", "exitCode", "exitSignalName", "toolExecutionNotifications"},
        "invocation");
    EXPECT_TRUE(invocation["executionSuccessful"].is_boolean());
  }
  if (run.contains("originalUriBaseIds")) {
    for (const auto& [name, base] : run["originalUriBaseIds"].items()) {
      // 3.14.14: a base without a URI is described.
      EXPECT_TRUE(base.contains("uri") || base.contains("description")) << name;
      EXPECT_TRUE(!base.contains("uri") || base["uri"].get<std::string>().ends_with("/")) << name;
    }
  }
  for (const Sarif& result : run["results"]) expect_result(result, driver["rules"]);
}

}  // namespace omen::test
