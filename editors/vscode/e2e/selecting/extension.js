// An interpreter without devfix is selected, until another one is.
const vscode = require("vscode");

exports.activate = (context) => {
  const changed = new vscode.EventEmitter();
  let path = "/nowhere/python";
  const select = () => {
    path = process.env.DEVFIX_PYTHON || "python3";
    changed.fire({ path });
  };
  context.subscriptions.push(changed, vscode.commands.registerCommand("python.setInterpreter", select));
  return {
    environments: {
      getActiveEnvironmentPath: () => ({ path }),
      resolveEnvironment: async (environment) => ({ executable: { uri: vscode.Uri.file(environment.path) } }),
      onDidChangeActiveEnvironmentPath: changed.event,
    },
  };
};
