// nsn convert PATH... --to petsc|mtx: linear systems from one file format to another.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "bench/cli/commands.h"
#include "bench/cli/common_options.h"
#include "bench/cli/words.h"
#include "bench/compare/systems.h"
#include "nsn/core/base/error.h"
#include "nsn/core/base/runtime.h"
#include "nsn/core/io/exported_system.h"
#include "nsn/core/io/matrix_market.h"
#include "nsn/core/io/petsc_binary.h"

namespace nsn::cli {
namespace {

namespace fs = std::filesystem;

struct ConvertOptions : CommonOptions {
  std::vector<std::string> paths;
  std::string to;
};

template <class Part>
void write_part(const fs::path& path, const Part& part, SystemFormat format) {
  if (format == SystemFormat::kPetsc) {
    write_petsc(path, part);
  } else {
    write_matrix_market(path, part);
  }
}

/// A matrix alone, and its right-hand side where it has one. Returns the file of the matrix.
fs::path convert_matrix(const bench::SystemSource& source, SystemFormat format,
                        const fs::path& folder, std::uint64_t seed) {
  const bench::LinearSystem system = bench::read_system(source, seed);
  const auto named = [&](const fs::path& file) {
    return folder / (file.stem().string() + std::string(ending(format)));
  };
  const fs::path out = named(source.path);
  if (system.A.rows % kBlock == 0 && format == SystemFormat::kPetsc) {
    write_petsc(out, system.A, kBlock);
  } else {
    write_part(out, system.A, format);
  }
  if (source.rhs) write_part(named(*source.rhs), ConstVector(system.b), format);
  return out;
}

fs::path convert_export(const bench::SystemSource& source, SystemFormat format,
                        const fs::path& out) {
  const ExportedSystem system = read_exported_system(source.path);
  if (out.empty()) {
    add_format(source.path, system, format);
    return source.path;
  }
  const fs::path folder = out / source.name;
  write_exported_system(folder, system, format);
  return folder;
}

int run(const ConvertOptions& options) {
  const SystemFormat format = system_format_from(options.to);
  const Runtime runtime(1);
  const auto sources = bench::find_systems({options.paths.begin(), options.paths.end()});
  for (const bench::SystemSource& source : sources) {
    if (!source.refusal.empty()) {
      throw InputError(fmt::format("{}: {}", source.path.string(), source.refusal));
    }
    if (source.path.stem() == "A_sym" && is_exported_system(source.path.parent_path())) continue;
    const fs::path folder = options.out.empty() ? source.path.parent_path() : fs::path(options.out);
    const fs::path written = source.exported ? convert_export(source, format, options.out)
                                             : convert_matrix(source, format, folder, options.seed);
    if (options.prints_tables()) fmt::print("{}\n", written.string());
  }
  return 0;
}

}  // namespace

void add_convert_command(Command& app, int& exit_code) {
  Command command = app.add_subcommand("convert", "linear systems from one file format to another");
  auto options = std::make_shared<ConvertOptions>();
  command
      .add_option("PATH", options->paths,
                  "MatrixMarket or PETSc files, exported systems, folders of either")
      .required()
      .type_name("FILE");
  command
      .add_option("--to", options->to,
                  "petsc: PETSc's binary format, a third of the size; mtx: MatrixMarket")
      .required()
      .completes(words({"petsc", "mtx"}));
  add_out_option(command, *options, "where to write; beside the files that are read if not given");
  add_quiet_option(command, *options);
  command.footer(
      "An exported system keeps all its parts. Matrices are converted as they are: entries, order "
      "of\n"
      "rows, right-hand side. PETSc's MatLoad and VecLoad read what is written (32-bit indices, "
      "real).");
  command.callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace nsn::cli
